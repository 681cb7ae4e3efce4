import { languageOf } from "./count-tests.ts";
import type { FileDiff } from "./parse-diff.ts";
import { isTestFile, isTestName, isUnusedPlace } from "./test-names.ts";

type Files = ReadonlyMap<string, FileDiff>;

/** The share of equal lines from which git takes a file for a renamed one. */
const minSimilarity = 0.5;
/** Lines that are compared at most. */
const maxCompared = 500_000;
/** New files of the same content that are looked at. */
const maxSame = 50;

/**
 * Returns the differences with each deleted test file that was renamed compared with what it is now, under its new name.
 * Names by which a test runner would no longer find the tests are not followed.
 */
export function withRenames(files: Files): Files {
  const deleted = [...files].filter(([path, file]) => file.deleted && !file.isOpaque && isTestFile(path));
  const created = new Map([...files].filter(([, file]) => file.created && !file.isOpaque));
  if (deleted.length === 0 || created.size === 0) return files;
  const found = new Map(files);
  const renamed = { files: found, created };
  const same = byContent(created);
  const left = deleted.filter(([path, { removed }]) => {
    const places = same.get(removed.join("\n"))?.filter((to) => created.has(to)) ?? [];
    return !replace(
      renamed,
      path,
      places.find((to) => mayBe(path, to)),
    );
  });
  const budget = { left: maxCompared };
  for (const [path, file] of left) replace(renamed, path, mostAlike(created, [path, file], budget));
  return found;
}

function mostAlike(
  created: Files,
  [path, { removed }]: readonly [string, FileDiff],
  budget: { left: number },
): string | undefined {
  let best: { readonly to: string; readonly alike: number } | undefined;
  for (const [to, { added }] of created) {
    budget.left -= 1;
    if (budget.left <= 0) return best?.to;
    if (!mayBe(path, to)) continue;
    budget.left -= removed.length + added.length;
    const alike = similarity(removed, added);
    if (alike >= minSimilarity && alike > (best?.alike ?? 0)) best = { to, alike };
  }
  return best?.to;
}

function mayBe(from: string, to: string): boolean {
  const isFound = (!isTestName(from) || isTestName(to)) && (isUnusedPlace(from) || !isUnusedPlace(to));
  return isFound && isTestFile(to) && languageOf(from) === languageOf(to);
}

function byContent(created: Files): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [path, { added }] of created) {
    const key = added.join("\n");
    const paths = found.get(key);
    if (paths === undefined) found.set(key, [path]);
    else if (paths.length < maxSame) paths.push(path);
  }
  return found;
}

interface Renamed {
  readonly files: Map<string, FileDiff>;
  readonly created: Map<string, FileDiff>;
}

/** Returns true if there is a new name. */
function replace({ files, created }: Renamed, path: string, to: string | undefined): boolean {
  const [was, now] = [files.get(path), created.get(to ?? "")];
  if (to === undefined || !was || !now) return false;
  files.delete(path);
  created.delete(to);
  const [removed, added] = [onlyIn(was.removed, now.added), onlyIn(now.added, was.removed)];
  files.set(to, { ...now, created: false, removed, added, before: was.before });
  return true;
}

function onlyIn(lines: readonly string[], others: readonly string[]): string[] {
  const counts = countsOf(others);
  return lines.filter((line) => {
    const left = counts.get(line) ?? 0;
    counts.set(line, left - 1);
    return left <= 0;
  });
}

function similarity(one: readonly string[], other: readonly string[]): number {
  return (one.length - onlyIn(one, other).length) / Math.max(one.length, other.length, 1);
}

function countsOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
