import { codeOf } from "./code-text.ts";
import { namesOfOthers } from "./imported-names.ts";
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
  const [old, now] = [textOf(language, before), textOf(language, after)];
  const inLines = lost(countOf(removed, old), countOf(added, now));
  const inCode =
    old.code === undefined || now.code === undefined
      ? inLines
      : lost(countOf(old.code.split("\n"), old), countOf(now.code.split("\n"), now));
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

interface Text {
  /** Without comments; undefined if one of them does not end. */
  readonly code: string | undefined;
  readonly tests: RegExp;
  readonly assertion: RegExp;
  readonly imported: RegExp | undefined;
  /** Names that are no assertions here. */
  readonly others: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

function textOf({ test, assertion, imported, syntax }: TestLanguage, lines: readonly string[]): Text {
  const text = lines.join("\n");
  const code = codeOf(text, syntax);
  const own = imported?.by.test(code ?? text) ? imported : undefined;
  const others = own ? namesOfOthers(code ?? text, own.module) : none;
  return { code, tests: test, assertion, imported: own?.assertion, others };
}

function countOf(lines: readonly string[], { tests, assertion, imported, others }: Text): Counts {
  // A commented-out test does not run.
  const code = lines.filter(
    (line) => line.length <= maxLineChars && !/^\s*(?:\/\/|#(?!\[)|\*|\/\*)/.test(line),
  );
  const matches = (pattern: RegExp): readonly string[] => code.flatMap((line) => line.match(pattern) ?? []);
  const named = imported ? matches(imported).map((found) => found.replace(/[^\w$]/g, "")) : [];
  return {
    tests: matches(tests).length,
    assertions: matches(assertion).length + named.filter((name) => !others.has(name)).length,
  };
}
