import { describe, expect, test } from "vitest";
import { failuresCounted, ranNoTest, testsRun } from "./count-tests.ts";

const nodeSummary = (mark: string, counts: Record<string, number>): string => {
  const all = {
    tests: 0,
    suites: 0,
    pass: 0,
    fail: 0,
    cancelled: 0,
    skipped: 0,
    todo: 0,
    duration_ms: 2.6,
    ...counts,
  };
  return Object.entries(all)
    .map(([name, count]) => `${mark} ${name} ${count}`)
    .join("\n");
};
const cargo = (passed: number): string =>
  `\nrunning ${passed} tests\n\ntest result: ok. ${passed} passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n`;

describe("LOOP-4: a known runner says that it ran no test", () => {
  test.each<[string, string]>([
    ["node:test, TAP", `TAP version 13\n1..0\n${nodeSummary("#", {})}`],
    ["node:test, spec", nodeSummary("ℹ", {})],
    [
      "node:test 20, a file without tests",
      `✔ /srv/shop/empty.test.js (64.1ms)\n${nodeSummary("ℹ", { tests: 1, pass: 1 })}`,
    ],
    [
      "node:test 20, a file without tests, TAP",
      `TAP version 13\n# Subtest: /srv/shop/empty.test.js\nok 1 - /srv/shop/empty.test.js\n  ---\n  duration_ms: 67\n  ...\n1..1\n${nodeSummary("#", { tests: 1, pass: 1 })}`,
    ],
    [
      "node:test, all skipped",
      `﹣ later (0.9ms) # SKIP\n${nodeSummary("ℹ", { tests: 2, skipped: 1, todo: 1 })}`,
    ],
    ["vitest", "\u001b[1m RUN \u001b[22m v4.1.12 /srv/shop\n\nNo test files found, exiting with code 0\n"],
    [
      "vitest, all skipped",
      "\u001b[2m Test Files \u001b[22m 1 skipped (1)\n\u001b[2m      Tests \u001b[22m \u001b[33m5 skipped\u001b[39m (5)",
    ],
    ["vitest, no tests in its files", " Test Files  1 passed (1)\n      Tests  no tests\n"],
    ["jest", "No tests found, exiting with code 0\n"],
    [
      "jest, all skipped",
      "Test Suites: 1 skipped, 0 of 1 total\nTests:       2 skipped, 2 total\nSnapshots:   0 total",
    ],
    ["jest, none at all", "Tests:       0 total"],
    ["mocha", "\n\n  0 passing (1ms)\n"],
    ["mocha, all pending", "\n  0 passing (1ms)\n  3 pending\n"],
    ["TAP", "TAP version 13\n1..0\n"],
    ["pytest", "collected 0 items\n\n===== no tests ran in 0.52s ====="],
    ["pytest -q", "\nno tests ran in 0.55s"],
    [
      "pytest, all skipped",
      "collected 1 item\n\n============================== 1 skipped in 0.57s ==============================",
    ],
    ["pytest, all deselected", "\n4 deselected in 0.61s"],
    ["unittest", "\n------\nRan 0 tests in 0.000s\n\nOK"],
    ["unittest, all skipped", "ss\n------\nRan 2 tests in 0.000s\n\nOK (skipped=2)"],
    ["go, no files", "?   \texample.com/a\t[no test files]\n?   \texample.com/b\t[no test files]"],
    [
      "go, filter matches nothing",
      "testing: warning: no tests to run\nPASS\nok  \texample.com/a\t0.002s [no tests to run]",
    ],
    ["cargo", cargo(0) + cargo(0)],
    ["Surefire", "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0"],
    ["Surefire, none there", "[INFO] No tests to run."],
    ["Surefire, all skipped", "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 3"],
    ["Gradle", "> Task :compileTestJava NO-SOURCE\n> Task :test NO-SOURCE\n\nBUILD SUCCESSFUL in 1s"],
    ["dotnet", "No test is available in /srv/shop/bin/Debug/net8.0/shop.dll."],
    ["PHPUnit", "No tests executed!"],
    ["RSpec", "0 examples, 0 failures"],
    ["RSpec, all pending", "3 examples, 0 failures, 3 pending"],
    ["ExUnit", "There are no tests to run"],
    ["ExUnit, all excluded", "0 tests, 0 failures"],
    ["minitest", "0 runs, 0 assertions, 0 failures, 0 errors, 0 skips"],
    ["bun", "Ran 0 tests across 1 file. [3.00ms]"],
    ["deno", "ok | 0 passed | 0 failed (1ms)"],
    ["CTest", "No tests were found!!!"],
    ["two runners", `${nodeSummary("ℹ", {})}\n\n  0 passing (1ms)`],
  ])("%s", (_, output) => {
    expect(ranNoTest(output)).toBe(true);
  });
});

describe("LOOP-4: somewhere a test was run, or no runner speaks", () => {
  test.each<[string, string]>([
    ["node:test", `✔ fine (0.8ms)\n${nodeSummary("ℹ", { tests: 1, pass: 1 })}`],
    [
      "node:test, one file of two without tests",
      `✔ /srv/a.test.js (7.3ms)\n✔ fine (0.8ms)\n${nodeSummary("ℹ", { tests: 2, pass: 2 })}`,
    ],
    ["node:test, one failed", nodeSummary("#", { tests: 1, fail: 1 })],
    ["vitest", "      Tests  1 passed | 4 skipped (5)"],
    ["vitest, only failures", "      Tests  4 failed (4)"],
    [
      "vitest, one package of many without",
      "No test files found, exiting with code 0\n      Tests  3 passed (3)",
    ],
    ["jest", "Tests:       1 passed, 1 total"],
    ["jest, in part", "Tests:       1 skipped, 2 passed, 3 total"],
    ["mocha", "  3 passing (1ms)\n  1 pending"],
    ["TAP", "TAP version 13\n1..1\nok 1 - fine"],
    ["pytest", "collected 4 items\n\n==== 1 passed, 3 skipped in 0.52s ===="],
    ["pytest -q", "1 passed in 0.01s"],
    ["unittest", "Ran 1 test in 0.000s\n\nOK"],
    ["go, one package of many", "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.002s"],
    ["go, cached", "ok  \texample.com/b\t(cached)"],
    ["cargo, doc tests without any", cargo(1) + cargo(0)],
    [
      "Surefire, per class and in all",
      "[INFO] Tests run: 0, Failures: 0, Errors: 0, Skipped: 0\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0",
    ],
    ["Gradle", "> Task :a:test NO-SOURCE\n> Task :b:test\n\nBUILD SUCCESSFUL"],
    ["Gradle, up to date", "> Task :test UP-TO-DATE"],
    ["dotnet", "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3"],
    ["PHPUnit", "OK (3 tests, 4 assertions)"],
    ["RSpec", "3 examples, 0 failures, 1 pending"],
    ["ExUnit", "2 tests, 0 failures"],
    ["bun", "Ran 2 tests across 1 file."],
    ["deno", "ok | 2 passed | 0 failed (1ms)"],
    ["a linter", "Checked 12 files in 3ms. No fixes applied."],
    ["a compiler", ""],
    ["own words", "ok - all 0 problems gone"],
    ["AVA beside an empty mocha", "  0 passing (1ms)\n  ✔ adds\n  ─\n\n  1 test passed\n"],
    ["tape", "TAP version 13\n1..1\n# tests 1\n# pass  1\n\n# ok"],
    ["a duration on a line of its own", "built\nin 3.2s"],
    ["a sentence", "We found that no tests failed today."],
  ])("%s", (_, output) => {
    expect(ranNoTest(output)).toBe(false);
  });
});

describe("LOOP-18: how many tests ran, without skipped ones", () => {
  test.each<[string, string, number]>([
    ["node:test", nodeSummary("ℹ", { tests: 5, pass: 3, fail: 1, skipped: 1 }), 4],
    [
      "node:test, TAP",
      `TAP version 13\nok 1 - one\nok 2 - two # SKIP\n1..2\n${nodeSummary("#", { tests: 2, pass: 1, skipped: 1 })}`,
      1,
    ],
    ["TAP", "1..3\nok 1 - one\nok 2 - two\nok 3 - three # SKIP", 2],
    ["vitest", "      Tests  3 passed | 2 skipped (5)", 3],
    ["jest", "Tests:       1 skipped, 12 passed, 13 total", 12],
    ["mocha", "  3 passing (1ms)\n  1 pending", 3],
    ["pytest", "==== 11 passed, 3 skipped in 0.52s ====", 11],
    ["unittest", "Ran 4 tests in 0.000s\n\nOK (skipped=1)", 3],
    ["cargo, two crates", cargo(3) + cargo(4), 7],
    ["PHPUnit", "Tests: 5, Assertions: 9, Skipped: 2.", 3],
    ["minitest", "5 runs, 9 assertions, 0 failures, 0 errors, 2 skips", 3],
    ["ExUnit", "5 tests, 0 failures, 2 skipped", 3],
    ["RSpec", "5 examples, 0 failures, 1 pending", 4],
    ["bun", " 3 pass\n 1 skip\n 0 fail\nRan 4 tests across 1 file. [3.00ms]", 3],
    ["two runners", `${cargo(3)}\n2 passed in 0.01s`, 5],
    ["none of them", "      Tests  5 skipped (5)", 0],
  ])("%s", (_, output, ran) => {
    expect(testsRun("make test", output)).toBe(ran);
  });

  test.each<[string, string]>([
    ["a linter", "Checked 12 files in 3ms. No fixes applied."],
    ["packages", "ok  \texample.com/b\t0.002s"],
    [
      "a script that selects tests",
      "> shop@1.0.0 test\n> jest --onlyChanged\n\nTests:       2 passed, 2 total",
    ],
  ])("unknown: %s", (_, output) => {
    expect(testsRun("npm test", output)).toBeNull();
  });

  test.each([
    "npx jest -o",
    "vitest run --changed",
    "pytest --lf",
    "npx turbo run test",
    "nx affected -t test",
  ])("unknown: %s selects other tests each time", (command) => {
    expect(testsRun(command, "2 passed in 0.01s")).toBeNull();
  });
});

describe("LOOP-24: the summary of a known runner counts failures", () => {
  test.each<[string, string, number]>([
    ["node:test", nodeSummary("ℹ", { tests: 2, pass: 1, fail: 1 }), 1],
    ["node:test, TAP", `not ok 1 - adds\n${nodeSummary("#", { tests: 1, fail: 1 })}`, 1],
    ["node:test, cancelled", nodeSummary("ℹ", { tests: 1, cancelled: 1 }), 1],
    ["node:test, two packages", `${nodeSummary("ℹ", { fail: 1 })}\n${nodeSummary("ℹ", { pass: 1 })}`, 1],
    ["TAP", "TAP version 13\n1..2\nok 1 - one\nnot ok 2 - two", 1],
    ["tape", "# tests 2\n# pass  1\n# fail  1", 1],
    ["vitest", "\u001b[31m      Tests \u001b[39m 2 failed | 3 passed (5)", 2],
    [
      "vitest, a file that cannot be loaded",
      " Test Files  1 failed | 1 passed (2)\n      Tests  3 passed (3)",
      1,
    ],
    ["jest", "Tests:       1 failed, 1 skipped, 1 passed, 3 total", 1],
    ["jest, a file that cannot be loaded", "Test Suites: 1 failed, 1 total\nTests:       0 total", 1],
    ["mocha", "  1 passing (3ms)\n  2 failing\n\n  1) adds", 2],
    ["AVA", "  1 test passed\n  1 test failed", 1],
    ["bun", " 3 pass\n 1 fail\nRan 4 tests across 1 file. [3.00ms]", 1],
    ["deno", "FAILED | 2 passed | 1 failed (12ms)", 1],
    ["Playwright", "  1 failed\n    a.spec.ts:3:1 › adds\n  2 passed (1.2s)", 1],
    ["pytest", "=== 1 failed, 2 passed, 1 skipped in 0.12s ===", 1],
    ["pytest, an error", "1 passed, 2 errors in 0.12s", 2],
    ["unittest", "Ran 2 tests in 0.000s\n\nFAILED (failures=1, errors=1)", 2],
    ["unittest, an error", "Ran 1 test in 0.000s\n\nFAILED (errors=1)", 1],
    ["go", "--- FAIL: TestAdd (0.00s)\n    a_test.go:4: no\nFAIL\nFAIL\texample.com/a\t0.002s\nFAIL", 2],
    ["cargo", "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out", 1],
    ["nextest", "     Summary [   0.012s] 3 tests run: 2 passed, 1 failed, 0 skipped", 1],
    ["Surefire", "[ERROR] Tests run: 3, Failures: 1, Errors: 1, Skipped: 0", 2],
    ["Gradle", "3 tests completed, 1 failed", 1],
    ["dotnet", "Failed!  - Failed:     1, Passed:     2, Skipped:     0, Total:     3", 1],
    ["PHPUnit", "Tests: 3, Assertions: 3, Failures: 1.", 1],
    ["RSpec", "3 examples, 1 failure, 1 pending", 1],
    ["ExUnit, bats", "3 tests, 1 failure", 1],
    ["minitest", "3 runs, 3 assertions, 1 failures, 0 errors, 0 skips", 1],
    ["CTest", "67% tests passed, 1 tests failed out of 3", 1],
    ["prove", "Failed 1/2 subtests\nResult: FAIL", 1],
  ])("%s", (_, output, failed) => {
    expect(failuresCounted("make test", output)).toBe(failed);
  });

  test.each<[string, string, string]>([
    ["node:test passes", "npm test", `✔ a # fail 1\n${nodeSummary("ℹ", { pass: 2, todo: 1 })}`],
    ["a test that is to do", "npm test", "ok 1 - one\nnot ok 2 - two # TODO later"],
    ["expected failures", "pytest", "2 passed, 1 xfailed in 0.1s"],
    ["go", "go test ./...", "ok  \texample.com/b\t0.002s"],
    ["cargo", "cargo test", cargo(3)],
    ["PHPUnit", "phpunit", "Tests: 5, Assertions: 9, Skipped: 2."],
    ["RSpec", "rspec", "5 examples, 0 failures, 1 pending"],
    ["dotnet", "dotnet test", "Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3"],
    ["a sentence", "npm test", "We saw 1 failing build and 2 failed tries."],
    [
      "a second try",
      "npm test || npm test",
      "Tests:       1 failed, 1 total\nTests:       1 passed, 1 total",
    ],
    ["a second try of a script", "npm test", "> a@1 test\n> jest || jest\n\nTests:       1 failed, 1 total"],
    ["what is to fail", "! node --test broken.js", nodeSummary("#", { fail: 1 })],
    ["what is to fail, by its code", "jest broken; test $? -eq 1", "Tests:       1 failed, 1 total"],
  ])("none: %s", (_, command, output) => {
    expect(failuresCounted(command, output)).toBe(0);
  });
});
