import { indentOf, withoutPackagePrefix } from "./error-line.ts";
import { stateAssertionsOnce } from "./single-assertion.ts";
import { withoutForeignFrames } from "./stack-frames.ts";

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
