import type { FileDiff } from "../parse-diff.ts";
import { canSilence, silencedMore } from "./silencing-comments.ts";

/** Files of results with which tests compare. */
const expectation = /\.(?:snap|snapshot|approved\.\w+|verified\.\w+)$|(?:^|\/)__(?:image_)?snapshots__\//;

const script = /\.[cm]?[jt]sx?$/;
/** A test that is repeated until it passes once. */
const retry =
  /\bretr(?:y|ies)["']?\s{0,9}:\s{0,9}[1-9]|\bretries\(\s{0,9}[1-9]|\bretryTimes\(\s{0,9}[1-9]|\bmark\.flaky\b|\bflaky\(/g;

/** Returns true for the files whose lines have to be compared for these warnings. */
export function showsWeakerChecks(path: string): boolean {
  return canSilence(path) || expectation.test(path);
}

/** Returns warnings about changes by which checks accept more than before, of any file. */
export function weakerChecks(files: ReadonlyMap<string, FileDiff>): readonly string[] {
  const expected = [...files].flatMap(([path, file]) => {
    if (!expectation.test(path)) return [];
    if (file.deleted) return [`${path} was deleted: it held what tests expect`];
    // A new test only adds to it.
    const isOther = file.removed.length > 0 || file.isOpaque || file.becameLink;
    return isOther ? [`${path} was changed: tests expect something else now`] : [];
  });
  return [...silencedMore(files), ...expected];
}

/** Returns what became weaker in a file of tests, as clauses. */
export function weakerTests(path: string, { before, after, lostExecution }: FileDiff): readonly string[] {
  const isRepeated = (script.test(path) || path.endsWith(".py")) && retriesIn(after) > retriesIn(before);
  return [
    ...(isRepeated ? ["its tests are repeated when they fail"] : []),
    ...(lostExecution ? ["it can no longer be executed"] : []),
  ];
}

function retriesIn(lines: readonly string[]): number {
  return lines.join("\n").match(retry)?.length ?? 0;
}
