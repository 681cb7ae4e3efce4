import { withoutPackagePrefix } from "./error-line.ts";

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

export function isPassedLine(line: string): boolean {
  return passed.test(line) || passed.test(withoutPackagePrefix(line));
}

/** Reports whether `line` says nothing about a failure; `all` are the lines of the whole output. */
export function runnerChatter(all: readonly string[]): (line: string) => boolean {
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
export function withoutDuration(line: string): string {
  if (line.startsWith("thread '")) return line.replace(threadId, "");
  return testLine.test(line) && !timedOut.test(line) ? line.replace(durationAtEnd, "") : line;
}

function anyOf(patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"));
}
