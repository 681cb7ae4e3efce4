import { clip, oneLine } from "../../../base/text.ts";
import { redact } from "../../../trust/redact.ts";
import { stripControls } from "../../../trust/terminal.ts";
import type { Learning } from "../learning.ts";

const dayMs = 86_400_000;
/** From here on verdicts of agents are told, where more of them were bad than good. */
const harmfulNote = 2;

/** How a learning stands in a prompt. */
export interface RenderedLearning {
  /** Lesson and detail. */
  readonly text: string;
  /** The lesson alone, whole. */
  readonly short: string;
}

interface RenderOptions {
  readonly now: Date;
  /** A file that it cites has changed since. */
  readonly stale: boolean;
  /** It ended the very error that the task's last attempt failed with. */
  readonly fix: boolean;
}

/** `- **[category]** lesson (id, age, origin)`: one line that nothing in it can leave, the detail indented below. */
export function renderLearning(learning: Learning, { now, stale, fix }: RenderOptions): RenderedLearning {
  const { category, lesson, detail, id, provenance } = learning;
  const facts = [
    id,
    ageOf(learning.createdAt, now),
    ...(provenance.origin !== null ? [`from ${inline(provenance.origin, 40)}`] : []),
    ...(provenance.source === "person" ? ["from a person"] : []),
    ...(fix ? ["ended the error of your last attempt"] : []),
    ...(learning.saidHarmful >= harmfulNote && learning.saidHarmful > learning.saidHelpful
      ? [`misled ${learning.saidHarmful} times before: doubt it`]
      : []),
    ...(stale ? ["a file it cites has changed since: check it"] : []),
  ];
  const short = `- **[${inline(category, 40)}]** ${inline(lesson, 400)} (${facts.join(", ")})`;
  const more = inline(detail, 1200);
  return { short, text: more ? `${short}\n  ${more}` : short };
}

/** `today`, `3d ago`. */
function ageOf(createdAt: string, now: Date): string {
  const days = Math.floor((now.getTime() - Date.parse(createdAt)) / dayMs);
  return days > 0 ? `${days}d ago` : "today";
}

/** Foreign text as part of one line; a tag in it is no sigil, for no line begins with it. */
function inline(text: string, max: number): string {
  return clip(oneLine(stripControls(redact(text))), max);
}
