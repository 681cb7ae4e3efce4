import { nameSome } from "../base/text.ts";
import {
  hasInlineTests,
  leavesOutOthers,
  mayBeTestFile,
  stemOf,
  type TestLanguage,
  table,
  testLanguages,
} from "./test-languages.ts";
import type { FileDiff } from "./work-diff.ts";

/** Longer lines are generated. */
const maxLineChars = 2000;
/** A test of which more than this share of the lines is in new tests has another name there. */
const similar = 0.5;
/** A check in any language; a helper may have any such name. */
const assertion =
  /assert|expect|should|verif|check|require|refute|must|raises|throws|fatal|fail|error|equal|match|compare|snapshot|\bok\b|\bis\b|[=!]=|\[\[? /i;

interface Test {
  readonly name: string;
  readonly lines: readonly string[];
  readonly isSkipped: boolean;
}

interface Tests {
  readonly tests: readonly Test[];
  /** The number of marks that leave out all other tests. */
  readonly only: number;
  readonly tables: number;
}

/** Returns true for a file of tests that `weakerTests` can read. */
export function hasTests(path: string): boolean {
  const isTests = mayBeTestFile(path) || hasInlineTests(path) || /(?:^|\/)conftest\.py$/.test(path);
  return isTests && languageOf(path) !== undefined;
}

/**
 * Returns by file of tests what a change leaves out: tests that are gone, skipped or without any check now. A test that moved or has another
 * name, new tests and new tables of cases are none of these.
 */
export function weakerTests(files: ReadonlyMap<string, FileDiff>): ReadonlyMap<string, readonly string[]> {
  const read = [...files].flatMap(([path, file]) => {
    const language = hasTests(path) && !file.isOpaque ? languageOf(path) : undefined;
    return language
      ? [{ path, file, old: testsIn(file.before, language), now: testsIn(file.after, language) }]
      : [];
  });
  const before = namesIn(read.flatMap(({ old }) => old.tests));
  const present = read.flatMap(({ now }) => now.tests);
  const after = namesIn(present);
  const fresh = new Set(present.flatMap(({ name, lines }) => (before.has(name) ? [] : lines)));
  // The tests of a file that moved, and was written anew there.
  const rewritten = new Map(
    read.flatMap(({ path, file, now }) =>
      file.created ? [[stemOf(path), now.tests.filter(isEffective).length] as const] : [],
    ),
  );
  const found = new Map<string, readonly string[]>();
  for (const { path, file, old, now } of read) {
    const isGone = ({ name, lines }: Test): boolean => !after.has(name) && !isAmong(lines, fresh);
    const wentElsewhere = file.deleted && (rewritten.get(stemOf(path)) ?? 0) >= old.tests.length;
    const gone = now.tables > old.tables || wentElsewhere ? [] : old.tests.filter(isGone);
    const whys = [
      ...described(
        gone,
        file.deleted ? "was deleted with it" : "is gone",
        file.deleted ? "were deleted with it" : "are gone",
      ),
      ...described(
        changed(old, now, (was, is) => is.isSkipped && !was.isSkipped),
        "is skipped",
        "are skipped",
      ),
      ...described(
        changed(old, now, (was, is) => isChecking(was) && !isChecking(is)),
        "checks nothing",
        "check nothing",
      ),
      ...(now.only > old.only ? ["other tests are left out"] : []),
    ];
    if (whys.length > 0) found.set(path, whys);
  }
  return found;
}

function languageOf(path: string): TestLanguage | undefined {
  return testLanguages.find(({ files }) => files.test(path));
}

function described(tests: readonly Test[], one: string, more: string): readonly string[] {
  if (tests.length === 0) return [];
  const names = nameSome(tests.map(({ name }) => `"${name}"`));
  return [tests.length === 1 ? `the test ${names} ${one}` : `${tests.length} tests ${more}: ${names}`];
}

function namesIn(tests: readonly Test[]): ReadonlySet<string> {
  return new Set(tests.map(({ name }) => name));
}

/** Returns the tests of the same name for which `isWeaker` holds; of several with one name, the first. */
function changed(old: Tests, now: Tests, isWeaker: (was: Test, is: Test) => boolean): readonly Test[] {
  const current = new Map(now.tests.toReversed().map((test) => [test.name, test]));
  const seen = new Set<string>();
  return old.tests.filter((was) => {
    const is = current.get(was.name);
    const isFirst = !seen.has(was.name);
    seen.add(was.name);
    return isFirst && is !== undefined && isWeaker(was, is);
  });
}

function isEffective(test: Test): boolean {
  return !test.isSkipped && isChecking(test);
}

function isChecking({ lines }: Test): boolean {
  return lines.some((line) => assertion.test(line));
}

function isAmong(lines: readonly string[], others: ReadonlySet<string>): boolean {
  const telling = lines.filter((line) => /\w/.test(line));
  return telling.filter((line) => others.has(line)).length > similar * telling.length;
}

/** Splits the lines into tests: each ends where the next begins. A mark that stands above a test belongs to it. */
function testsIn(lines: readonly string[], language: TestLanguage): Tests {
  const code = lines.filter((line) => line.length <= maxLineChars && !comment.test(line));
  const starts = startsIn(code, language);
  const skipped = skippedIn(code, starts, language);
  const tests = starts.map(({ at, name, rest }, n) => ({
    name,
    lines: [rest, ...code.slice(at + 1, starts[n + 1]?.at)].map((line) => line.trim()),
    isSkipped: skipped.has(n),
  }));
  const count = (pattern: RegExp): number => code.filter((line) => pattern.test(line)).length;
  return { tests, only: count(leavesOutOthers), tables: count(table) };
}

const comment = /^\s*(?:\/\/(?!go:)|#(?![[!]|\s*if\b)|\*|\/\*|--)/;

interface Start {
  readonly at: number;
  readonly name: string;
  /** The line without the name. */
  readonly rest: string;
}

function startsIn(code: readonly string[], { test, mark }: TestLanguage): readonly Start[] {
  const starts: Start[] = [];
  for (const [at, line] of code.entries()) {
    const found = test.exec(line);
    if (!found) continue;
    const above = code.slice(Math.max((starts.at(-1)?.at ?? -1) + 1, at - 3), at + 1);
    if (mark && !above.some((one) => mark.test(one))) continue;
    starts.push({ at, name: found.slice(1).find(Boolean) ?? "", rest: line.replace(found[0], "") });
  }
  return starts;
}

/** Stands before what it leaves out. */
const above = /^\s*(?:[@#[]|x?(?:describe|context|suite)\b|pytestmark)/;

/** Returns the indexes of the tests that marks leave out. */
function skippedIn(
  code: readonly string[],
  starts: readonly Start[],
  { skip }: TestLanguage,
): ReadonlySet<number> {
  const skipped = new Set<number>();
  let around = -1;
  for (const [at, line] of code.entries()) {
    if (starts[around + 1]?.at === at) around += 1;
    const isOfNext = above.test(line) && starts[around]?.at !== at;
    if (skip.test(line) && !isConditional(line, code[at - 1]))
      skipped.add(isOfNext ? around + 1 : Math.max(around, 0));
  }
  return skipped;
}

const condition = /(?:^|[\s})])(?:if|elif|else|unless|except|catch|rescue|guard)\b/;

/** Returns true for a statement with a condition on its line, or on the line before. */
function isConditional(line: string, before = ""): boolean {
  return [line, before].some((one) => condition.test(one.replace(/(["'`]).*?\1/g, "")));
}
