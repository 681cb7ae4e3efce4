import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";
import { isProven, type Learning } from "./store/learning.ts";

const dayMs = 86_400_000;
/** Minimum number of harmful verdicts to mention in the prompt, when they outnumber the helpful ones. */
const minHarmful = 2;

/** A learning as text for a prompt. */
export interface RenderedLearning {
  /** Lesson, when it applies, and detail. */
  readonly text: SafeText;
  /** The whole lesson, without the detail. */
  readonly short: SafeText;
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
  const { category, lesson, detail, when, id, provenance } = learning;
  const facts = [
    safeText(id),
    ageOf(learning.createdAt, now),
    ...(provenance.origin !== null ? [safe`from ${inline(provenance.origin, 40)}`] : []),
    ...(provenance.source === "person" ? [safe`from a person`] : []),
    ...(isProven(learning) ? [] : [safe`unproven`]),
    ...(fix ? [safe`ended the error of your last attempt`] : []),
    ...(learning.saidHarmful >= minHarmful && learning.saidHarmful > learning.saidHelpful
      ? [safe`misled ${learning.saidHarmful} times before: doubt it`]
      : []),
    ...(stale ? [safe`a cited file has changed since: check it`] : []),
  ];
  const short = safe`- **[${inline(category, 40)}]** ${inline(lesson, 400)} (${joinSafe(facts, ", ")})`;
  const more = [...(when ? [safe`when: ${inline(when, 200)}`] : []), inline(detail, 1200)].filter(Boolean);
  return { short, text: joinSafe([short, ...more], "\n  ") };
}

/** Returns the age in days: `today`, `3d ago`. */
function ageOf(createdAt: string, now: Date): SafeText {
  const days = Math.floor((now.getTime() - Date.parse(createdAt)) / dayMs);
  return days > 0 ? safe`${days}d ago` : safe`today`;
}

/** Returns outside text for the middle of a line. A tag in it is not read as a sigil, because no line begins with it. */
function inline(text: string, max: number): SafeText {
  return safeLine(text, max);
}
