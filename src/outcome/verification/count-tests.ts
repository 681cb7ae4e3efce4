import { codeOf } from "./code-text.ts";
import type { FileDiff } from "./parse-diff.ts";
import { languageOf, type TestLanguage } from "./test-languages.ts";

/** Longer lines are generated. */
const maxLineChars = 2000;

interface Counts {
  readonly tests: number;
  readonly assertions: number;
}

/**
 * Compares the tests and assertions of a file before and after a change: by the lines that a diff removes and adds, and by the
 * whole texts without comments, because a comment around a test changes none of its lines. Returns what became fewer, as a
 * clause (`2 tests and 5 assertions fewer`); undefined if neither did, or the language is not known.
 */
export function fewerTests(
  path: string,
  { added, removed, before, after }: Pick<FileDiff, "added" | "removed" | "before" | "after">,
): string | undefined {
  const language = languageOf(path);
  if (!language || before.length === 0) return undefined;
  const [old, now] = [patternsOf(language, before), patternsOf(language, after)];
  const inLines = lost(countOf(removed, old), countOf(added, now));
  const [oldCode, nowCode] = [before, after].map((lines) => codeOf(lines.join("\n"), language.syntax));
  const inCode =
    oldCode === undefined || nowCode === undefined
      ? inLines
      : lost(countOf(oldCode.split("\n"), old), countOf(nowCode.split("\n"), now));
  const parts = [
    describe(Math.max(inLines.tests, inCode.tests), "test"),
    describe(Math.max(inLines.assertions, inCode.assertions), "assertion"),
  ];
  const fewer = parts.filter((part) => part !== "");
  return fewer.length === 0 ? undefined : `${fewer.join(" and ")} fewer`;
}

/** Returns true if the tests of such a file can be counted. */
export function countsTestsOf(path: string): boolean {
  return languageOf(path) !== undefined;
}

function describe(lost: number, what: string): string {
  if (lost <= 0) return "";
  return lost === 1 ? `1 ${what}` : `${lost} ${what}s`;
}

function lost(before: Counts, after: Counts): Counts {
  return { tests: before.tests - after.tests, assertions: before.assertions - after.assertions };
}

interface Patterns {
  readonly tests: readonly RegExp[];
  readonly assertions: readonly RegExp[];
}

function patternsOf({ test, assertion, imported }: TestLanguage, lines: readonly string[]): Patterns {
  const isImported = imported && lines.some((line) => imported.by.test(line));
  return { tests: [test], assertions: isImported ? [assertion, imported.assertion] : [assertion] };
}

function countOf(lines: readonly string[], { tests, assertions }: Patterns): Counts {
  // A commented-out test does not run.
  const code = lines.filter(
    (line) => line.length <= maxLineChars && !/^\s*(?:\/\/|#(?!\[)|\*|\/\*)/.test(line),
  );
  const count = (patterns: readonly RegExp[]): number =>
    code.reduce((sum, line) => patterns.reduce((n, one) => n + (line.match(one)?.length ?? 0), sum), 0);
  return { tests: count(tests), assertions: count(assertions) };
}
