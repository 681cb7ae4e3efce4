/** Compilers, type checkers and bundlers. */
const compilers = [
  /\berror TS\d+:/, // tsc
  /:\d+:\d+ - error\b/, // tsc --pretty, pyright
  /^\S?\s?\[ERROR\]/, // esbuild, Maven
  /^ERROR in /, // webpack
  /^Module (?:not found|parse failed|build failed)/,
  /^error during build:|\bRollupError:|^\[[A-Z]+(?:_[A-Z]+)+\] /, // Vite, Rollup, Rolldown
  /^error(?:\[\w+\])?: /, // rustc
  /^(?:[A-Za-z]:)?[^\s:]+:\d+(?::\d+)?: (?:fatal )?error\b/, // gcc, clang, javac, swiftc, mypy
  /^[^\s:]+\.go:\d+:\d+: /,
  /: error [A-Z]{1,4}\d+: /, // MSVC, C#
  /undefined reference to|\bld: |\bld returned \d/,
  /^e: |^FAILURE: |^Execution failed for task|^> Task .* FAILED$/, // Kotlin, Gradle
];

/** Test runners: the name of a failing test, or the failed assertion. */
const runners = [
  /^\s*(?:FAIL|FAILED|ERROR|FATAL)\b[: ]+\S/, // vitest, jest, pytest, unittest
  /^\s*[✖✗✘×✕●] \S/, // node:test, jest, vitest
  /^\s*\d+\) \S/, // mocha, RSpec, PHPUnit, ExUnit
  /^\s*not ok\b(?!.*# (?:TODO|SKIP))/i, // TAP
  /^_{3,} \S.* _{3,}$|^E {2,}(?:\w+\.)*\w*(?:Error|Exception|assert)\b/, // pytest
  /^test .* \.\.\. FAILED$|^---- \S.* stdout ----|^thread '.*panicked at/, // cargo
  /^\s*--- FAIL: |^panic: |^\s+\S+_test\.go:\d+: /, // go
  /Tests run:.*(?:Failures|Errors): [1-9]|<<< (?:FAILURE|ERROR)!/, // Surefire
  /^\s*Failure\/Error:/, // RSpec
  /\bassertion\b.*\bfailed\b/i,
];

const linters = [
  /^\s+\d+:\d+\s+error\b/, // ESLint
  / ━{5,}$/, // Biome
  /^[^\s:]+:\d+:\d+:? [A-Z]{1,5}\d{1,4}\b/, // ruff, flake8, pylint
  /^[A-Z]{1,5}\d{2,4} (?:\[\*\] )?\S/, // ruff in full
  /^\[error\] /, // Prettier
];

const anyProgram = [
  /^Traceback \(most recent call last\):/,
  /^\s*(?:Uncaught |Unhandled |Caused by: )?(?:\w+[.:]+)*(?:[A-Z]\w*)?(?:Error|Exception)\b(?: \[\w+\])?(?::|$)/,
  /^\s*(?:fatal|panic|error|ERROR)(?:\[[^\]]*\])?: /i,
  /\bcommand not found\b|: not found$|\bNo such file or directory\b/,
  /\bCannot find (?:module|package|name)\b|\b(?:Unhandled|Uncaught)\b/,
  /\bSegmentation fault\b|\bcore dumped\b|\bout of memory\b/i,
  /\btimed out\b|\bTimeout of \d/i,
];

const oneOf = (patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map((each) => each.source).join("|"));
const caseless = (pattern: RegExp): boolean => pattern.flags.includes("i");
const all = [...compilers, ...runners, ...linters, ...anyProgram];
const exact = oneOf(all.filter((pattern) => !caseless(pattern)));
const anyCase = new RegExp(oneOf(all.filter(caseless)).source, "i");

/** The prefix of turbo, pnpm or lerna on each line of a package: `web:build: `, `[api] `, `packages/a test: `. */
const packagePrefix = /^(?:@?[\w./-]+:[\w-]+: |\[[\w:@/-]+\] |[\w@./-]+ [\w-]+: )/;

const loudLine =
  /\b(?:error|fail|failed|fails|failures?|exception|fatal|cannot|could not|unable|invalid|unexpected|denied|refused|abort(?:ed)?)\b/i;
const zeroErrors =
  /\b(?:0|no) (?:errors?|failures?|failed|fail)\b|\b(?:errors?|failures?|failed|fail):? 0\b/i;
const counted = /\b[1-9]\d* (?:errors?|failures?|failed|fail)\b|\b(?:errors?|failures?|failed|fail):? [1-9]/i;

/** A place in a library or the runtime, as frames name it. */
const foreignPlace = "(?:\\bnode:[\\w/]+|node_modules[/\\\\][^\\s()]+):\\d+(?::\\d+)?\\)?(?: \\{)?$";
const foreignFrames = [
  /^\s*at .*(?:\bnode:|node_modules[/\\]|\(<anonymous>\)|\(index \d+\)|\bjava\.base\/|\borg\.junit\b|\bjdk\.internal\b)/,
  new RegExp(`^\\s*[❯›] .*${foreignPlace}`), // vitest, ava
  new RegExp(`^\\s+(?:\\S.* \\()?[^\\s()]*${foreignPlace}`), // the stack in TAP
  /^\s+(?:new |async )*[\w$.]+ \((?:<anonymous>|index \d+)\)(?: \{)?$/,
  /^\s*File ".*(?:site-packages|dist-packages|lib\/python[\d.]+)\/|^\s*.*\/rustc\//,
];
const foreignFrame = new RegExp(foreignFrames.map(({ source }) => source).join("|"));

/** Returns true if `line` alone names an error in the format of a known tool. */
export function isErrorLine(line: string): boolean {
  if (reportsSuccess(line)) return false;
  if (exact.test(line) || anyCase.test(line)) return true;
  const rest = withoutPackagePrefix(line);
  return rest !== line && (exact.test(rest) || anyCase.test(rest));
}

/** Returns the line without the package's name that a monorepo tool prints before it. */
export function withoutPackagePrefix(line: string): string {
  return line.replace(packagePrefix, "");
}

/** The heading of a list of failures, which names none of them. */
const isHeading = /^\s*(?:[✖×✗]\s*)?(?:failing|failed) tests:?\s*$/i;

/** Returns the first line of `text` that names an error. */
export function firstErrorLine(text: string): string | undefined {
  return text.split("\n").find((line) => isErrorLine(line) && !isHeading.test(line));
}

function reportsSuccess(line: string): boolean {
  return zeroErrors.test(line) && !counted.test(line);
}

/** Returns true if `line` contains a word that suggests an error. */
export function isLoudLine(line: string): boolean {
  return loudLine.test(line) && !reportsSuccess(line);
}

/** Returns true for a stack frame inside a library or the runtime, which is never the cause. */
export function isForeignFrame(line: string): boolean {
  return foreignFrame.test(line);
}

/** An error in an output: indexes of its lines. */
interface ErrorBlock {
  /** The enclosing heading: the file of a lint error, the suite of a test. */
  readonly heading: readonly number[];
  readonly headline: number;
  /** The lines that explain it: a diff, a code frame, stack frames in the project's files. */
  readonly context: readonly number[];
}

const maxContext = 30;
/** Maximum lines between two that clearly belong to the error, for example the text of an assertion. */
const maxBridge = 8;

const headingReach = 20;

const continuation =
  /^(?:[+-]|\s*(?:[|│╭╰└├┌─^~]|\d+ |> |-->|= |at |❯ |E\b|>\s*\d+ *\|)|\s*(?:expected|received|actual|got|want|left|right|caused by|note|help|symbol|location|found)\b)/i;

/** Returns the errors of an output in order, without repeats. */
export function findBlocks(lines: readonly string[]): readonly ErrorBlock[] {
  const blocks: ErrorBlock[] = [];
  const seen = new Set<string>();
  for (let at = 0; at < lines.length; at += 1) {
    if (!isErrorLine(lines[at] ?? "")) continue;
    const context = contextOf(lines, at);
    const heading = headingOf(lines, at);
    const key = [...heading, at, ...context].map((index) => lines[index]?.trim()).join("\n");
    if (!seen.has(key)) blocks.push({ heading, headline: at, context });
    seen.add(key);
    at = context.at(-1) ?? at;
  }
  return blocks;
}

function contextOf(lines: readonly string[], headline: number): readonly number[] {
  const indent = indentOf(lines[headline] ?? "");
  const context: number[] = [];
  let pending: number[] = [];
  for (let at = headline + 1; at < lines.length && at <= headline + maxContext; at += 1) {
    const line = lines[at] ?? "";
    if (line.trim() === "" || isForeignFrame(line)) continue;
    const deeper = indentOf(line) > indent;
    if (!deeper && isErrorLine(line)) break;
    pending.push(at);
    if (deeper || continuation.test(line) || at === headline + 1) {
      context.push(...pending);
      pending = [];
    }
    if (pending.length > maxBridge) break;
  }
  return context;
}

function headingOf(lines: readonly string[], headline: number): readonly number[] {
  const indent = indentOf(lines[headline] ?? "");
  if (indent === 0) return [];
  for (let at = headline - 1; at >= 0 && at >= headline - headingReach; at -= 1) {
    const line = lines[at] ?? "";
    if (line.trim() !== "" && indentOf(line) < indent) return [at];
  }
  return [];
}

/** Returns the number of white-space characters at the beginning of a line. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
