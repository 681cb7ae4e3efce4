import { basename } from "node:path";
import { fewerTests } from "../count-tests.ts";
import type { FileDiff } from "../parse-diff.ts";

/** Returns a warning about a deleted file of tests, which names the new file that has its tests now. */
type DescribeDeleted = (path: string, file: FileDiff) => string;

interface Created {
  readonly path: string;
  readonly file: FileDiff;
}

/** Among more new files, only one of the same name is taken for a deleted one. */
const maxCompared = 10;
/** A new file with more than this share of its lines is taken for a deleted one. */
const similar = 0.5;

/** A new name counts as a change too: the commands may not run the tests there. */
export function describeDeletedIn(files: ReadonlyMap<string, FileDiff>): DescribeDeleted {
  const created = [...files]
    .filter(([, file]) => file.created && file.added.length > 0)
    .map(([path, file]): Created => ({ path, file }));
  const byContent = new Map(created.map((one) => [one.file.added.join("\n"), one]));
  const byName = new Map(created.map((one) => [basename(one.path), one]));
  return (path, file) => {
    const same = byContent.get(file.removed.join("\n"));
    if (same) return `${path} was moved to ${same.path}: verification may not run its tests there`;
    const named = byName.get(basename(path));
    const others = created.length <= maxCompared ? created : [];
    const moved = [...(named ? [named] : []), ...others].find((one) => isSimilar(file, one.file));
    return moved ? describeChanged(path, file, moved) : `${path} was deleted: it contained tests`;
  };
}

function describeChanged(
  path: string,
  { removed }: FileDiff,
  { path: to, file: { added } }: Created,
): string {
  const fewer = fewerTests(to, { removed, added, before: removed, after: added });
  const how = fewer === undefined ? "" : `, with ${fewer}`;
  return `${path} was moved to ${to} and changed${how}: verification may not run its tests there`;
}

function isSimilar({ removed }: FileDiff, { added }: FileDiff): boolean {
  const now = new Set(linesOf(added));
  const before = linesOf(removed);
  return before.filter((line) => now.has(line)).length > similar * before.length;
}

/** Returns the lines with more than brackets. */
function linesOf(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.trim()).filter((line) => /\w/.test(line));
}
