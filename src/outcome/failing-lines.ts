import { indentOf, isForeignFrame, withoutPackagePrefix } from "./error-line.ts";
import { stateAssertionsOnce } from "./single-assertion.ts";

/**
 * Returns the lines of a cleaned output that concern what failed (PROMPT-6): without passed tests, stack frames of
 * dependencies and runtimes, durations, and repeated statements of one assertion. If nothing would be left, all lines.
 * Applying it twice changes nothing more.
 */
export function failingLines(lines: readonly string[]): readonly string[] {
  const isChatter = runnerChatter(lines);
  const failing = withoutTapNoise(lines)
    .filter((line) => !isPassedLine(line) && !isChatter(line))
    .map(withoutDuration);
  const kept = singleBlankLines(stateAssertionsOnce(withoutForeignFrames(failing)));
  return kept.some((line) => line.trim() !== "") ? kept : lines;
}

function singleBlankLines(lines: readonly string[]): readonly string[] {
  return lines.filter((line, at) => line.trim() !== "" || (lines[at - 1] ?? "").trim() !== "");
}

/** A line that reports one passed or skipped test, in the words of its runner. */
const passed = anyOf([
  /^\s*[✔✓√✅]\s/, // node:test, vitest, jest, ava, mocha
  /^\s*[﹣↓○]\s/, // skipped: node:test, vitest, jest
  /^\s*ok \d+\b/, // TAP
  /^PASS\b/, // jest, go
  /^\S+\.py::\S+ (?:PASSED|SKIPPED|XFAIL)\b/, // pytest -v
  /^\w\S* \([\w.]+\) \.\.\. (?:ok|skipped)\b/, // unittest -v
  /^\s*--- (?:PASS|SKIP): |^ok {2}\t|^ok\s+\S+\s+(?:\d|\(cached\))|^\? {3}\t/, // go
  /^test .* \.\.\. (?:ok|ignored)\b/, // cargo
]);

/** A line about the run as a whole that names no failure. */
const chatter = anyOf([
  /^\s*RUN {2}v\d|^\s*(?:Start at|Duration) {2}/, // vitest
  /^⎯[⎯\s\d/[\]]*$/,
  /^Snapshots: {3}0 total|^Time: {8}|^Ran all test suites/, // jest
  /^\s*\d+ passing(?: \([\d.]+ ?m?s\))?$/, // mocha
  /^ℹ (?:tests|suites|pass|cancelled 0|skipped|todo|duration_ms)\b/, // node:test
  /^=+ test session starts =+$|^platform \S+ -- Python|^(?:cachedir|rootdir|configfile|plugins|benchmark): /, // pytest
  /^hypothesis profile |^(?:collecting \.\.\. )?collected \d+ items?\b|^\S+\.py [.FEsxX]+\s+\[ *\d+%\]$/,
  /^=== (?:RUN|PAUSE|CONT|NAME)\b|^goroutine \d+ \[running\]:$/, // go
  /^\s+(?:Compiling|Checking|Finished|Running|Downloading|Downloaded|Doc-tests|Locking|Updating|Blocking) /, // cargo
  /^running \d+ tests?$|^note: (?:Some details are omitted|run with `RUST_BACKTRACE)/,
  /^Node\.js v\d/,
]);

/** A suite that node:test opens; its end repeats the name with the result. */
const openedSuite = /^\s*▶ \S/;
const nodeTotals = /^ℹ tests \d/;

const lintWarning = /^\s+\d+:\d+\s+warning\s/;
const lintError = /^\s+\d+:\d+\s+error\s/;

function isPassedLine(line: string): boolean {
  return passed.test(line) || passed.test(withoutPackagePrefix(line));
}

/** Reports whether `line` says nothing about a failure; `all` are the lines of the whole output. */
function runnerChatter(all: readonly string[]): (line: string) => boolean {
  const isNode = all.some((line) => nodeTotals.test(line));
  const lintFailed = all.some((line) => lintError.test(line));
  return (line) =>
    chatter.test(line) ||
    (isNode && openedSuite.test(line)) ||
    // Warnings matter only where they are the failure: with `--max-warnings`.
    (lintFailed && lintWarning.test(line));
}

const timedOut = /\btime[ds]?[ -]?out\b/i;
const testLine =
  /^\s*(?:[×✖✕✗✘❯●]|\d+\)|--- FAIL:|FAIL\b|test result:|=+ .*=+$|Ran \d+ tests?|\d+ (?:passing|failing)|.*\d+ (?:failed|passed))/;
const durationAtEnd =
  /\s*(?:;? ?(?:finished )?in \d+(?:\.\d+)? ?m?s(?= ?=*$)|\(\d+(?:[.,]\d+)? ?(?:ms|s|m)\)$|[ \t]\d+(?:\.\d+)? ?m?s$)/;
/** The number that the system gave a thread, in newer releases of Rust. */
const threadId = /(?<=^thread '[^']*') \(\d+\)(?= panicked)/;

/** Removes the time that a test took from its line. A time limit that was exceeded stays. */
function withoutDuration(line: string): string {
  if (line.startsWith("thread '")) return line.replace(threadId, "");
  return testLine.test(line) && !timedOut.test(line) ? line.replace(durationAtEnd, "") : line;
}

function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"));
}

const tapVersion = /^TAP version \d/;
const tapChatter =
  /^TAP version \d|^\s*# Subtest: |^\s*1\.\.\d+$|^# (?:tests|suites|pass|cancelled|skipped|todo|duration_ms) [\d.]+$/;
const tapPassed = /^\s*ok \d+\b/;
const start = /^\s*---$/;
const end = /^\s*\.\.\.$/;
/** Entries of a failure that add nothing to its message. Other codes and names do: `SyntaxError`, `ERR_MODULE_NOT_FOUND`. */
const kind =
  /^\s*(?:(?:duration_ms|type|failureType|operator): |code: 'ERR_(?:TEST_FAILURE|ASSERTION)'$|name: 'AssertionError'$)/;
const value = /^\s*(?:expected|actual):/;
/** The message that node:test writes itself states both values. */
const statesBoth = /^\s*Expected (?:values|"actual")/;

/**
 * Returns the lines of a TAP output without passed tests, plans and totals. Of the diagnosis of a failure the message,
 * the place and the values stay, each once. Other outputs are returned as they are.
 */
function withoutTapNoise(lines: readonly string[]): readonly string[] {
  if (!lines.some((line) => tapVersion.test(line))) return lines;
  const kept: string[] = [];
  let afterPassed = false;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const close = start.test(line) ? closingOf(lines, at) : -1;
    if (close > at) {
      if (!afterPassed) kept.push(...diagnosis(lines.slice(at + 1, close)));
      at = close;
      continue;
    }
    afterPassed = tapPassed.test(line);
    if (!afterPassed && !tapChatter.test(line)) kept.push(line);
  }
  return kept;
}

const maxDiagnosis = 400;

/** Returns the index of the line that ends the diagnosis; -1 if it has no end. */
function closingOf(lines: readonly string[], opening: number): number {
  const indent = indentOf(lines[opening] ?? "");
  for (let at = opening + 1; at < lines.length && at < opening + maxDiagnosis; at += 1) {
    if (end.test(lines[at] ?? "") && indentOf(lines[at] ?? "") === indent) return at;
  }
  return -1;
}

function diagnosis(block: readonly string[]): readonly string[] {
  if (block.some((line) => line.includes("failureType: 'subtestsFailed'"))) return [];
  const stated = block.some((line) => statesBoth.test(line));
  const kept: string[] = [];
  let droppedIndent = Number.POSITIVE_INFINITY;
  for (const line of block) {
    if (line.trim() !== "" && indentOf(line) <= droppedIndent) {
      const dropped = kind.test(line) || (stated && value.test(line));
      droppedIndent = dropped ? indentOf(line) : Number.POSITIVE_INFINITY;
      if (dropped) continue;
    }
    if (droppedIndent === Number.POSITIVE_INFINITY) kept.push(line);
  }
  return kept;
}

/** The place in its own source at which Node prints an uncaught error: two lines of code follow. */
const nodeSource = /^node:[\w/]+:\d+$/;
const goFrame = /^\t\S+\.go:\d+(?: \+0x[0-9a-f]+)?$/;
const foreignGo =
  /\/src\/(?:bufio|bytes|context|database|encoding|fmt|html|internal|io|net|os|reflect|runtime|sort|strings|sync|syscall|testing|text|time)\/|\/pkg\/mod\//;
const rustCall = /^\s+\d+: \S/;
const rustPlace = /^\s+at (?:\/rustc\/|.*\/\.cargo\/registry\/|.*\/rustlib\/)/;
const pythonFrame = /^\s*File "/;
const pytestRule = /^_ _ _|^_{3,} \S|^={3,} /;
/** pytest names the place of a frame at the end of its source. */
const pytestPlace = /^\S*(?:site-packages|dist-packages|\/lib\/python[\d.]+)\/\S+:\d+: /;

/** Returns the lines without the stack frames of dependencies and runtimes, in several languages. */
function withoutForeignFrames(lines: readonly string[]): readonly string[] {
  return withoutPytestFrames(
    lines.some((line) => pytestPlace.test(line)),
    withoutPlainFrames(lines),
  );
}

function withoutPlainFrames(lines: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const next = lines[at + 1] ?? "";
    const skipped = frameLines(lines, at, next);
    if (skipped > 0) at += skipped - 1;
    else if (goFrame.test(next)) kept.push(line.replace(/\((?:0x|\{).*\)$/, "(…)"));
    else kept.push(goFrame.test(line) ? line.replace(/ \+0x[0-9a-f]+$/, "") : line);
  }
  return kept;
}

/** Returns the number of lines of the foreign frame that begins at `at`; 0 if none does. */
function frameLines(lines: readonly string[], at: number, next: string): number {
  const line = lines[at] ?? "";
  if (goFrame.test(next) && foreignGo.test(next)) return 2;
  if (rustCall.test(line) && rustPlace.test(next)) return 2;
  if (nodeSource.test(line)) return lines[at + 2]?.trim() === "^" ? 3 : 1;
  if (!isForeignFrame(line)) return 0;
  return pythonFrame.test(line) ? 1 + deeperLines(lines, at) : 1;
}

function deeperLines(lines: readonly string[], at: number): number {
  const indent = indentOf(lines[at] ?? "");
  const rest = lines.slice(at + 1, at + 5);
  const other = rest.findIndex((line) => indentOf(line) <= indent || line.trim() === "");
  return other < 0 ? rest.length : other;
}

/** Of a library's frame pytest prints the source; only the lines with the error stay. */
function withoutPytestFrames(isFound: boolean, lines: readonly string[]): readonly string[] {
  if (!isFound) return lines;
  const kept: string[] = [];
  let frame: string[] = [];
  const endFrame = (): void => {
    const isForeign = frame.some((line) => pytestPlace.test(line));
    for (const one of isForeign ? frame.filter((line) => /^E\s/.test(line)) : frame) kept.push(one);
    frame = [];
  };
  for (const line of lines) {
    if (pytestRule.test(line)) {
      endFrame();
      if (!line.startsWith("_ _ _")) kept.push(line);
    } else frame.push(line);
  }
  endFrame();
  return kept;
}
