import { clip, oneLine } from "../../../base/text.ts";
import { redact } from "../../../trust/redact.ts";
import { stripControls } from "../../../trust/terminal.ts";
import type { Learning } from "../learning.ts";

const dayMs = 86_400_000;
/** Minimum number of harmful verdicts to mention in the prompt, when they outnumber the helpful ones. */
const minHarmful = 2;

/** A learning as text for a prompt. */
export interface RenderedLearning {
  /** Lesson and detail. */
  readonly text: string;
  /** The whole lesson, without the detail. */
  readonly short: string;
}

interface RenderOptions {
  readonly now: Date;
  /** A cited file has changed since. */
  readonly stale: boolean;
  /** It ended the error of the task's last attempt before. */
  readonly fix: boolean;
}

/** Renders `- **[category]** lesson (id, age, origin)` as exactly one line, with the detail indented below it. */
export function renderLearning(learning: Learning, { now, stale, fix }: RenderOptions): RenderedLearning {
  const { category, lesson, detail, id, provenance } = learning;
  const facts = [
    id,
    ageOf(learning.createdAt, now),
    ...(provenance.origin !== null ? [`from ${inline(provenance.origin, 40)}`] : []),
    ...(provenance.source === "person" ? ["from a person"] : []),
    ...(fix ? ["ended the error of your last attempt"] : []),
    ...(learning.saidHarmful >= minHarmful && learning.saidHarmful > learning.saidHelpful
      ? [`misled ${learning.saidHarmful} times before: doubt it`]
      : []),
    ...(stale ? ["a cited file has changed since: check it"] : []),
  ];
  const short = `- **[${inline(category, 40)}]** ${inline(lesson, 400)} (${facts.join(", ")})`;
  const more = inline(detail, 1200);
  return { short, text: more ? `${short}\n  ${more}` : short };
}

/** Returns the age in days: `today`, `3d ago`. */
function ageOf(createdAt: string, now: Date): string {
  const days = Math.floor((now.getTime() - Date.parse(createdAt)) / dayMs);
  return days > 0 ? `${days}d ago` : "today";
}

/** Returns outside text for the middle of a line. A tag in it is not read as a sigil, because no line begins with it. */
function inline(text: string, max: number): string {
  return clip(oneLine(stripControls(redact(text))), max);
}
