import { expect, test } from "vitest";
import type { CheckResult } from "../../outcome/outcome.ts";
import { fewerRan, withTestsRun } from "./tests-run.ts";

function check(command: string, testsRun?: number, passed = true): CheckResult {
  const ran = { command, passed, reason: "", exitCode: 0, durationMs: 1, excerpt: "", cannotRun: null };
  return testsRun === undefined ? ran : { ...ran, testsRun };
}

test("LOOP-18: a command that runs fewer tests than when it last passed is named", () => {
  const before = { "npm test": 12, "npm run e2e": 3, "make lint": 0 };
  const named = fewerRan(
    [check("npm test", 11), check("npm run e2e"), check("make lint"), check("new")],
    before,
  );
  expect(named).toEqual([
    "`npm test` ran 11 tests, 12 before",
    "`npm run e2e` no longer says how many tests it ran: 3 before",
  ]);
  expect(fewerRan([check("npm test", 12), check("npm run e2e", 4)], before)).toEqual([]);
  expect(fewerRan([check("npm test", 1, false)], before)).toEqual([]);
  expect(fewerRan([check("constructor", 1)], before)).toEqual([]);
});

test("what passed replaces what was known of the same command", () => {
  const before = { a: 1, b: 2, c: 3 };
  expect(withTestsRun([check("a", 5), check("b"), check("c", 9, false), check("d", 4)], before)).toEqual({
    ...{ a: 5, c: 3, d: 4 },
  });
});
