import { withoutControls } from "../trust/safe-text.ts";

/** A longer line is not a summary. The patterns below need quadratic time on some lines. */
const maxLineChars = 500;

/** Reads how many tests one runner ran from its output; null if the output does not contain its summary. */
type Counter = (output: string) => number | null;

/** Sums `count` over all matches of a runner's summary. */
function sumOf(pattern: RegExp, count: (groups: readonly number[]) => number): Counter {
  return (output) => {
    let sum: number | null = null;
    for (const [, ...groups] of output.matchAll(pattern)) {
      sum = (sum ?? 0) + Math.max(0, count(groups.map((group) => Number(group ?? 0))));
    }
    return sum;
  };
}

const first = ([number = 0]: readonly number[]): number => number;
const firstTwo = ([one = 0, two = 0]: readonly number[]): number => one + two;
const none = (): number => 0;

/** Up to Node 20, a file without tests is reported as one passed test, named by its path. */
const nodeFile = /^(?:✔|ok \d+ -) (?:\/|[A-Za-z]:\\).*\.[cm]?[jt]sx?(?: \([\d.]+ms\))?$/gm;

const nodeTest: Counter = (output) => {
  const reported = sumOf(/^(?:#|ℹ) (?:pass|fail|cancelled) +(\d+)$/gm, first)(output);
  return reported === null ? null : Math.max(0, reported - (output.match(nodeFile)?.length ?? 0));
};

/** Counts packages of `go test`: a line without the remark means that tests ran. */
const goTest: Counter = (output) => {
  const packages = output.match(
    /^(?:ok|FAIL|---|\?)[ \t]+\S+[ \t]+(?:\[no test files\]|[\d.]+s|\(cached\)).*$/gm,
  );
  if (!packages) return /^testing: warning: no tests to run$/m.test(output) ? 0 : null;
  return packages.filter((line) => !/\[no (?:test files|tests to run)\]/.test(line)).length;
};

const gradle: Counter = (output) => {
  const tasks = output.match(/^> Task \S*:\w*[tT]est(?: .*)?$/gm);
  return tasks ? tasks.filter((line) => !/ (?:NO-SOURCE|SKIPPED)$/.test(line)).length : null;
};

/** Lines of single tests, beside which a runner may print a summary. */
const tapLines: Counter = sumOf(/^ok (?:\d+ )?- (?!.*# SKIP)(?!\/)/gim, () => 1);

const summaries: readonly Counter[] = [
  nodeTest,
  // vitest: `Tests  2 failed | 3 passed | 1 skipped (6)`
  sumOf(/^ *Tests {2,}(?:(\d+) failed)?(?: \| )?(?:(\d+) passed)?.*\(\d+\)$/gm, firstTwo),
  sumOf(/^ *Tests {2,}no tests$|^No test files found/gm, none),
  // jest: `Tests:       1 failed, 1 skipped, 1 passed, 3 total`
  sumOf(
    /^Tests: +(?:(\d+) failed, )?(?:\d+ skipped, )?(?:\d+ todo, )?(?:(\d+) passed, )?\d+ total$/gm,
    firstTwo,
  ),
  sumOf(/^No tests found/gm, none),
  // AVA; mocha, Cypress
  sumOf(/^ *(\d+) tests? passed$/gm, first),
  sumOf(/^ *(\d+) passing\b/gm, first),
  sumOf(/^ *(\d+) failing\b/gm, first),
  // TAP without a summary
  sumOf(/^1\.\.(0)\b/gm, none),
  // pytest, unittest
  sumOf(
    /^=* ?(?=\d+ [a-z])(?:(\d+) failed,? ?)?(?:(\d+) passed,? ?)?(?:\d+ (?:skipped|deselected|xfailed|warnings?|errors?),? ?)* ?in [\d.]+s\b/gm,
    firstTwo,
  ),
  sumOf(/\bno tests ran\b|^collected 0 items/gim, none),
  (output) => {
    const skipped = sumOf(/^OK \(skipped=(\d+)\)$/gm, first)(output) ?? 0;
    return sumOf(/^Ran (\d+) tests? in /gm, ([ran = 0]) => ran - skipped)(output);
  },
  // cargo test, cargo nextest
  sumOf(/^test result: \w+\. (\d+) passed; (\d+) failed;/gm, firstTwo),
  sumOf(/\bSummary \[.*?\] +(\d+) tests? run:/g, first),
  // Surefire, dotnet
  sumOf(
    /^(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: (\d+)$/gm,
    ([ran = 0, skipped = 0]) => ran - skipped,
  ),
  sumOf(/^(?:\[\w+\] )?No tests to run\.?$|^No test (?:is available|matches)/gm, none),
  sumOf(/\bFailed: +(\d+), Passed: +(\d+), Skipped: +\d+, Total: +\d+/g, firstTwo),
  // PHPUnit, RSpec, ExUnit, minitest
  sumOf(/^OK \((\d+) tests?, \d+ assertions?\)$/gm, first),
  sumOf(/^Tests: (\d+), Assertions: \d+(?:.*\bSkipped: (\d+))?/gm, ([ran = 0, skipped = 0]) => ran - skipped),
  sumOf(/^No tests executed!|^There are no tests to run/gm, none),
  sumOf(/^(\d+) examples?, \d+ failures?(?:, (\d+) pending)?/gm, ([ran = 0, pending = 0]) => ran - pending),
  sumOf(
    /^(\d+) (?:tests?|runs), \d+ (?:failures?|assertions)\b(?:.*\b(\d+) ski(?:ps|pped)\b)?/gm,
    ([ran = 0, skipped = 0]) => ran - skipped,
  ),
  // bun, deno, Swift, CTest, Playwright
  (output) => {
    const skipped = sumOf(/^ *(\d+) (?:skip|todo)$/gm, first)(output) ?? 0;
    return sumOf(/^Ran (\d+) tests? across /gm, ([ran = 0]) => ran - skipped)(output);
  },
  sumOf(/^(?:ok|FAILED) \| (\d+) passed.*\| (\d+) failed/gm, firstTwo),
  sumOf(/^error: No test modules found|^No tests were found!!!/gm, none),
  sumOf(/\bExecuted (\d+) tests?, with /g, first),
  sumOf(/ tests failed out of (\d+)$/gm, first),
];

/** Counters of packages or tasks that ran tests. */
const groups: readonly Counter[] = [goTest, gradle];

/**
 * Returns true if `output` contains summaries of known test runners and none of them ran a test: a filter that matches
 * nothing, no test file, or all tests skipped. One of many packages without tests is not enough.
 */
export function ranNoTest(output: string): boolean {
  const counts = countsIn([...groups, ...summaries, tapLines], readable(output));
  return counts.length > 0 && counts.every((count) => count === 0);
}

/** Options and programs by which a command runs other tests each time: those of changed files, or what a cache lacks. */
const selects =
  /(?:^|\s)--(?:onlyChanged|onlyFailures|changed\w*|findRelatedTests|related|affected|since|lf|last-failed|sw|stepwise|testmon|picked|shard)\b|\bjest\b.*\s-o\b|\b(?:turbo|nx|lage|bazel|vitest related)\b|\[(?:HEAD|origin\/|main|master)/;

/**
 * Returns how many tests ran, without skipped ones, by the summaries in the output of `command`; null if it has none, or if the
 * command, or a script that it started by its output, selects other tests each time.
 */
export function testsRun(command: string, output: string): number | null {
  const text = readable(output);
  if ([command, ...scriptsIn(text)].some((line) => selects.test(line))) return null;
  const counts = countsIn(summaries, text);
  const [lines] = countsIn([tapLines], text);
  if (counts.every((count) => count === 0)) return lines ?? (counts.length > 0 ? 0 : null);
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Summaries of known test runners; the groups count tests that failed. */
const failures: readonly RegExp[] = [
  // node:test, tape, tap; automake
  /^(?:#|ℹ) (?:fail|cancelled|FAIL:) +(\d+)$/gm,
  // vitest, jest, Pest; of files that fail before a test begins too
  /^ *Tests?(?: Files| Suites)?:? +(\d+) failed\b/gm,
  // mocha, AVA, bun, Playwright, Cypress
  /^ *(\d+) failing$/gm,
  /^ *(\d+) (?:tests? failed|uncaught exceptions?|unhandled rejections?)$/gm,
  /^ {1,2}(\d+) (?:fail|failed)$/gm,
  /^ *✖ +(\d+) of \d+ failed\b/gm,
  // pytest, unittest
  /^=* ?(?=\d+ [a-z])(?:(\d+) failed,? ?)?(?:\d+ (?:passed|skipped|deselected|xfailed|xpassed|warnings?),? ?)*(?:(\d+) errors?,? ?)?(?:\d+ \w+,? ?)* ?in [\d.]+s\b/gm,
  /^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?/gm,
  // cargo test, cargo nextest, deno
  /^test result: FAILED\. \d+ passed; (\d+) failed;/gm,
  /\bSummary \[.*\] .*\b(\d+) failed\b/g,
  /^FAILED \| \d+ passed.*\| (\d+) failed/gm,
  // Surefire, Gradle, dotnet, sbt
  /^(?:\[\w+\] )?Tests run: \d+, Failures: (\d+), Errors: (\d+), Skipped: \d+$/gm,
  /^\d+ tests? completed, (\d+) failed\b/gm,
  /\bFailed: +(\d+), (?:Passed: +\d+, Skipped|Errors)\b/g,
  /^Test summary: total: \d+, failed: (\d+),/gm,
  /\bTotal \d+, Failed (\d+), Errors (\d+), Passed \d+/g,
  // PHPUnit; RSpec, Jasmine, ExUnit, bats; minitest
  /^Tests: \d+, Assertions: \d+(?:, Errors: (\d+))?(?:, Failures: (\d+))?/gm,
  /^\d+ (?:examples?|specs?|tests?), (\d+) (?:failures?|failed)\b/gm,
  /^\d+ (?:tests|runs), \d+ assertions, (\d+) failures, (\d+) errors\b/gm,
  // Swift, CTest, Karma, prove
  /\bExecuted \d+ tests?, with (\d+) failures?\b/g,
  /\b(\d+) tests failed out of \d+$/gm,
  /^.*: Executed \d+ of \d+.* \((\d+) FAILED\)/gm,
  /^Failed (\d+)\/\d+ (?:subtests|test programs)\b/gm,
];
/** Lines of single failures, in runners that count nothing: TAP, `go test`, `cargo test`. */
const failedLine =
  /^(?:not ok\b(?!.*# ?(?:SKIP|TODO|skip|todo))|--- FAIL: |FAIL\t\S|test \S+ \.\.\. FAILED$)/gm;

/** Commands whose failures are no surprise: they try again, or they are to fail. */
const mayFail =
  /\b(?:until|while|break|retry|retries|re-?runs?(?:-fail\w*)?)\b|(?:^|[;&(])\s*(\S[^;&|]*?)\s*\|\|\s*\1(?:\s|$)|(?:^|[;&|(]|\bif)\s*!\s|\$\?"? *(?:-[a-z]{2}|!?=)/;

/**
 * Returns how many failures the summaries of known test runners count in the output of `command`; 0 if it, or a script that
 * it started by its output, may try again or is to fail.
 */
export function failuresCounted(command: string, output: string): number {
  const text = readable(output);
  if ([command, ...scriptsIn(text)].some((line) => mayFail.test(line))) return 0;
  const sums = failures.map((pattern) => sumOf(pattern, ([one = 0, two = 0]) => one + two)(text) ?? 0);
  return Math.max(...sums) || (text.match(failedLine)?.length ?? 0);
}

/** Returns the lines of the scripts that package managers print before they run them. */
function scriptsIn(text: string): readonly string[] {
  return (text.match(/^[>$] .*/gm) ?? []).map((line) => line.slice(2));
}

function countsIn(counters: readonly Counter[], text: string): readonly number[] {
  return counters.map((count) => count(text)).filter((count) => count !== null);
}

function readable(output: string): string {
  const lines = withoutControls(output).split("\n");
  return lines.filter((line) => line.length <= maxLineChars).join("\n");
}
