import { isSameStatement, normalised } from "../capture/learning-text.ts";
import type { Learning } from "../learning.ts";
import { detailChars, lessonChars } from "../learning.ts";
import { usefulnessOf } from "../recall/usefulness.ts";

export interface MergedText {
  readonly lesson: string;
  readonly detail: string;
  /** Those whose text it holds. */
  readonly members: readonly Learning[];
}

/**
 * One text for several learnings, without a model: the most useful one's lesson, the others' words below it, each said
 * once. From the first that no longer fits, the rest stays out of it. Undefined where nothing is gained by it: the text would be empty or
 * longer than its parts, or holds fewer than two.
 */
export function mergeTexts(cluster: readonly Learning[]): MergedText | undefined {
  const ranked = cluster.toSorted(
    (a, b) => standing(b) - standing(a) || (a.createdAt < b.createdAt ? 1 : -1),
  );
  const [best] = ranked;
  if (!best || normalised(best.lesson) === "") return undefined;
  const lines: string[] = best.detail ? [best.detail] : [];
  const members: Learning[] = [best];
  for (const learning of ranked.slice(1)) {
    const said = [best.lesson, ...lines];
    const news = [learning.lesson, learning.detail].filter((text) => text !== "" && !isCovered(text, said));
    const longer = [...lines, ...news].join("\n");
    if (longer.length > detailChars) break;
    lines.push(...news);
    members.push(learning);
  }
  const detail = lines.join("\n");
  const before = members.reduce((sum, { lesson, detail: more }) => sum + lesson.length + more.length, 0);
  const tooLong = best.lesson.length > lessonChars || best.lesson.length + lines.join("").length > before;
  return members.length < 2 || tooLong ? undefined : { lesson: best.lesson, detail, members };
}

function isCovered(text: string, said: readonly string[]): boolean {
  const plain = normalised(text);
  return said.some((other) => normalised(other).includes(plain) || isSameStatement(other, text));
}

function standing(learning: Learning): number {
  return usefulnessOf(learning).mean;
}
