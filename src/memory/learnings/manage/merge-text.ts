import type { Learning } from "../store/learning.ts";
import { detailChars, lessonChars } from "../store/learning.ts";
import { isSameStatement, normalised } from "../store/learning-text.ts";
import { usefulnessOf } from "../store/usefulness.ts";

export interface MergedText {
  readonly lesson: string;
  readonly detail: string;
  /** The learnings whose text it contains. */
  readonly members: readonly Learning[];
}

/**
 * Merges the texts of several learnings without a model: the most useful one's lesson, with the texts of the others below
 * it, without repetitions. The first that no longer fits and all after it are left out. Undefined when merging gains
 * nothing: the text would be empty, longer than its parts, or from fewer than two learnings. `ranked`: in the order of
 * `byUsefulness`.
 */
export function mergeTexts(ranked: readonly Learning[]): MergedText | undefined {
  const [best] = ranked;
  if (!best || normalised(best.lesson) === "") return undefined;
  const lines: string[] = best.detail ? [best.detail] : [];
  const members: Learning[] = [best];
  for (const learning of ranked.slice(1)) {
    const included = [best.lesson, ...lines];
    const added = [learning.lesson, learning.detail].filter(
      (text) => text !== "" && !isCovered(text, included),
    );
    const joined = [...lines, ...added].join("\n");
    if (joined.length > detailChars) break;
    for (const one of added) lines.push(one);
    members.push(learning);
  }
  const detail = lines.join("\n");
  const before = members.reduce((sum, { lesson, detail: more }) => sum + lesson.length + more.length, 0);
  const tooLong = best.lesson.length > lessonChars || best.lesson.length + lines.join("").length > before;
  return members.length < 2 || tooLong ? undefined : { lesson: best.lesson, detail, members };
}

function isCovered(text: string, included: readonly string[]): boolean {
  const plain = normalised(text);
  return included.some((other) => normalised(other).includes(plain) || isSameStatement(other, text));
}

/** The order in which learnings are merged; of two equally useful ones the newer comes first. */
export function byUsefulness(a: Learning, b: Learning): number {
  const difference = usefulnessOf(b).mean - usefulnessOf(a).mean;
  if (difference !== 0) return difference;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? 1 : -1;
  return a.id < b.id ? -1 : 1;
}
