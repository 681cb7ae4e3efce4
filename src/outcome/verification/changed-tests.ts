import { countsIn, describeFewer, helpersIn, languageOf, type TestCounts } from "./count-tests.ts";
import type { FileDiff } from "./parse-diff.ts";
import { withRenames } from "./renamed-tests.ts";
import { isTestFile, isTestName, isUnusedPlace } from "./test-names.ts";

const skips =
  /\b(?:it|test|describe|suite|context|t)\.(?:skip|todo|skipIf|fails)\b|\b(?:xit|xtest|xdescribe)\(|@pytest\.mark\.(?:skip|skipif|xfail)\b|\bpytest\.skip\(|@unittest\.skip|\bself\.skipTest\(|^\s*#\[ignore\b|\bt\.Skip(?:f|Now)?\(|^\s*@(?:Disabled|Ignore)\b|\bskip: true\b|^\s*@tag :skip\b/;
/** They skip all other tests. */
const focuses = /\b(?:it|test|describe|suite|context|t)\.only\b|\b(?:fit|fdescribe)\(/;

/** Files in a folder of tests that may be tests, in languages whose tests are not counted. */
const isCode =
  /\.(?:feature|snap|robot|c|cc|cpp|cxx|h|hpp|m|mm|lua|pl|t|ex|clj|cljs|hs|ml|dart|zig|nim|r|jl|vue|svelte|sql|tcl|fish|ps1|groovy|elm|erl)$/i;

/** A line that tests, asserts or skips. */
interface Line extends TestCounts {
  readonly text: string;
  readonly skipped: number;
  readonly focused: number;
}

/** A changed test file, with the lines that are only on one side. */
interface Changed {
  readonly path: string;
  readonly file: FileDiff;
  readonly removed: readonly Line[];
  readonly added: readonly Line[];
  /** Removed lines that another test file has now. */
  readonly moved: readonly Line[];
  /** True if it has lines of others now. */
  readonly hasMoved: boolean;
}

/**
 * Returns warnings about deleted, skipped or fewer tests. A renamed file is compared with what it was, and tests and
 * assertions that are in another changed test file now are not fewer.
 */
export function testWarnings(files: ReadonlyMap<string, FileDiff>): readonly string[] {
  const tests = new Map([...withRenames(files)].filter(([path]) => isTestFile(path) || isInline(path)));
  const changed = withMoves([...tests], helpersOf(tests));
  const sums = sumsOf(changed);
  return changed.flatMap((one) => warningsOf(one, sums(one)));
}

/** Returns what all files lost in which the tests of a file may be now. */
function sumsOf(changed: readonly Changed[]): (one: Changed) => TestCounts {
  const sums = {
    named: new Map<object | undefined, TestCounts>(),
    all: new Map<object | undefined, TestCounts>(),
  };
  for (const one of changed) {
    if (one.file.created && isUnusedPlace(one.path)) continue;
    const language = languageOf(one.path);
    const lost = lostIn(one);
    sums.all.set(language, plus(sums.all.get(language) ?? none, lost));
    if (isTestName(one.path)) sums.named.set(language, plus(sums.named.get(language) ?? none, lost));
  }
  return ({ path }) => {
    const language = languageOf(path);
    const all = sums.all.get(language) ?? none;
    const { tests } = (isTestName(path) ? sums.named.get(language) : undefined) ?? all;
    return { ...all, tests };
  };
}

/** A language whose tests are in the sources. */
function isInline(path: string): boolean {
  return path.endsWith(".rs");
}

const none: TestCounts = { tests: 0, assertions: 0 };

function plus(one: TestCounts, other: TestCounts): TestCounts {
  return { tests: one.tests + other.tests, assertions: one.assertions + other.assertions };
}

function minus(one: TestCounts, other: TestCounts): TestCounts {
  return { tests: one.tests - other.tests, assertions: one.assertions - other.assertions };
}

function total(lines: readonly TestCounts[]): TestCounts {
  return lines.reduce(plus, none);
}

function lostIn({ removed, added }: Changed): TestCounts {
  return minus(total(removed), total(added));
}

/** Functions that assert, by language. */
function helpersOf(tests: ReadonlyMap<string, FileDiff>): (path: string) => ReadonlySet<string> {
  const found = new Map<object, Set<string>>();
  for (const [path, { after }] of tests) {
    const language = languageOf(path);
    if (!language) continue;
    const names = found.get(language) ?? new Set();
    for (const name of helpersIn(path, after)) names.add(name);
    found.set(language, names);
  }
  return (path) => found.get(languageOf(path) ?? {}) ?? new Set();
}

/** Files that are searched for a line. */
const maxPlaces = 50;

type Entry = readonly [string, FileDiff];

type Moving = Changed & { readonly moved: Line[]; hasMoved: boolean };

/** Finds for each file the lines that are in another one now, each line at most as often as it is there. */
function withMoves(
  entries: readonly Entry[],
  helpers: (path: string) => ReadonlySet<string>,
): readonly Changed[] {
  const changed = entries.map(([path, file]): Moving => {
    const read = readLines(path, helpers(path));
    const [removed, added] = withoutSame(file.removed.flatMap(read), file.added.flatMap(read));
    return { path, file, removed, added, moved: [], hasMoved: false };
  });
  const pool = placesOf(changed);
  for (const one of changed) {
    for (const line of one.removed) {
      const to = takePlace(
        pool.get(line.text) ?? [],
        (other) => other !== one && mayMove(line, one.path, other.path),
      );
      if (!to) continue;
      to.hasMoved = true;
      one.moved.push(line);
    }
  }
  return changed;
}

/** Returns the files that have a line now and had it not before, by line. */
function placesOf(changed: readonly Moving[]): ReadonlyMap<string, Moving[]> {
  const pool = new Map<string, Moving[]>();
  for (const to of changed) {
    if (to.file.created && isUnusedPlace(to.path)) continue;
    for (const { text } of to.added) {
      const places = pool.get(text);
      if (places) places.push(to);
      else pool.set(text, [to]);
    }
  }
  return pool;
}

function takePlace(places: Moving[], matches: (to: Moving) => boolean): Moving | undefined {
  const at = places.slice(0, maxPlaces).findIndex(matches);
  const [found, last] = [places[at], places.at(-1)];
  if (!found || !last) return undefined;
  places[at] = last;
  places.pop();
  return found;
}

/** A test in a file that test runners find by its name stays in one. */
function mayMove({ tests }: Line, from: string, to: string): boolean {
  return languageOf(from) === languageOf(to) && (tests === 0 || !isTestName(from) || isTestName(to));
}

function readLines(path: string, helpers: ReadonlySet<string>): (line: string) => readonly Line[] {
  const count = countsIn(path, helpers) ?? (() => none);
  return (line) => {
    const counts = count(line);
    const [skipped, focused] = [skips, focuses].map((pattern) => (pattern.test(line) ? 1 : 0));
    const one = { ...counts, text: line.trim(), skipped: skipped ?? 0, focused: focused ?? 0 };
    return one.tests + one.assertions + one.skipped + one.focused === 0 ? [] : [one];
  };
}

/** Leaves out the lines that are on both sides. */
function withoutSame(removed: readonly Line[], added: readonly Line[]): readonly [Line[], Line[]] {
  const same = new Map<string, number>();
  for (const { text } of added) same.set(text, (same.get(text) ?? 0) + 1);
  const gone = removed.filter((line) => !take(same, line.text));
  const left = added.filter(({ text }) => take(same, text));
  return [gone, left];
}

function take(counts: Map<string, number>, text: string): boolean {
  const left = counts.get(text) ?? 0;
  if (left > 0) counts.set(text, left - 1);
  return left > 0;
}

function warningsOf(one: Changed, sum: TestCounts): readonly string[] {
  const { path, file } = one;
  const isTest = isTestFile(path);
  if (file.deleted) {
    const isGone = isTest && mayHoldTests(path, file) && !isElsewhere(one, sum);
    return isGone ? [`${path} was deleted: it contained tests`] : [];
  }
  const fewer = isElsewhere(one, sum) ? undefined : describeFewer(minus(lostIn(one), total(one.moved)));
  const whys = [
    ...(isTest && file.becameLink ? ["it is a link now"] : []),
    ...(isTest && file.isOpaque && languageOf(path) !== undefined
      ? ["it is too large to compare its tests"]
      : []),
    ...(isTest && skipsMore(one) ? ["tests are skipped in it"] : []),
    ...(fewer ? [fewer] : []),
  ];
  return whys.map((why) => `${path} was changed: ${why}`);
}

function mayHoldTests(path: string, { removed }: FileDiff): boolean {
  return (
    languageOf(path) !== undefined ||
    isTestName(path) ||
    isCode.test(path) ||
    removed[0]?.startsWith("#!") === true
  );
}

/** True if all that it lost is in other test files now; or most of it, and no fewer in all than before. */
function isElsewhere({ removed, moved }: Changed, sum: TestCounts): boolean {
  if (moved.length === 0) return false;
  const isKept = sum.tests <= 0 && sum.assertions <= 0;
  return moved.length === removed.length || (isKept && moved.length * 2 >= removed.length);
}

/** A new file whose tests are skipped, or that focuses on some, takes nothing away if they are its own. */
function skipsMore({ file, added, removed, moved, hasMoved }: Changed): boolean {
  const more = (count: (line: Line) => number): boolean => {
    const sumOf = (lines: readonly Line[]): number => lines.reduce((sum, line) => sum + count(line), 0);
    return sumOf(added) > sumOf(removed) - sumOf(moved);
  };
  const ofOthers = !file.created || hasMoved;
  return more(({ focused }) => focused) || (ofOthers && more(({ skipped }) => skipped));
}
