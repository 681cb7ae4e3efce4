import { describe, expect, test } from "vitest";
import { check, done, facts, failedCheck, failure, result, says } from "../../test/fakes/judge-facts.ts";
import { type JudgeFacts, judge } from "./judge.ts";

test("a done outcome has no error", () => {
  const outcome = judge(facts());
  expect(outcome).toMatchObject({ errorType: null, category: null, signature: null, errorExcerpt: "" });
  expect(outcome).toMatchObject({
    model: "sonnet",
    costUsd: 0.25,
    attempt: 2,
    durationMs: 1000,
    agentError: null,
  });
});

describe("FAIL-2: the raw facts of an attempt that is not done", () => {
  test.each<[string, Partial<JudgeFacts>, object]>([
    [
      "a failed test",
      { checks: [failedCheck] },
      { category: "test_failure", errorType: "assertion_failure", errorExcerpt: "AssertionError: 1 != 2" },
    ],
    [
      "a linter",
      { checks: [check({ ...failedCheck, command: "npm run lint" })] },
      { category: "lint_error", errorType: "tool_error" },
    ],
    [
      "a check out of time",
      { checks: [check({ passed: false, reason: "timed out after 5m" })] },
      { category: "timeout", errorType: "timeout" },
    ],
    [
      "an agent out of time",
      { result: failure("timeout", "30m are over") },
      { category: "timeout", errorType: "timeout", errorExcerpt: "30m are over" },
    ],
    [
      "an idle agent",
      { result: failure("idle", "silent for 10m") },
      { category: "timeout", errorType: "timeout" },
    ],
    [
      "a crash",
      { result: failure("crash", "exit code 1", { stderrTail: "ENOENT: no such file" }) },
      {
        category: "missing_file",
        errorType: "tool_error",
        errorExcerpt: "exit code 1\nENOENT: no such file",
      },
    ],
    [
      "a crash whose message quotes stderr",
      { result: failure("crash", "sh ended with exit code 1: E: no", { stderrTail: "E: no\n  at f" }) },
      { errorExcerpt: "sh ended with exit code 1\nE: no\n  at f" },
    ],
    [
      "its own report",
      {
        claims: says(
          "<task-failed>t-1</task-failed>\n<failure-report>\nwhat_tried: a\nwhy_failed: b\nerror_category: logic_error\nstack_trace: at f\n</failure-report>",
        ),
        checks: [],
      },
      { category: "logic_error", errorType: "unknown", errorExcerpt: "at f" },
    ],
    [
      "its last words",
      { claims: says("Bye."), checks: [], result: result({ finalMessage: "It is odd." }) },
      { category: "unknown", errorExcerpt: "It is odd." },
    ],
    [
      "its last words without its sigils",
      {
        claims: says("<task-failed>t-1</task-failed>"),
        checks: [],
        result: result({ finalMessage: "It is odd.\n\n<task-failed>t-1</task-failed>" }),
      },
      { errorExcerpt: "It is odd." },
    ],
    [
      "its last words, telling",
      { claims: says("x"), checks: [], result: result({ finalMessage: "3 tests failed." }) },
      { category: "test_failure", errorExcerpt: "3 tests failed." },
    ],
    [
      "verification's words before its report",
      {
        claims: {
          ...done,
          report: {
            whatTried: "a",
            whyFailed: "b",
            errorCategory: "logic_error",
            relevantFiles: [],
            stackTrace: "",
          },
        },
        checks: [failedCheck],
      },
      { category: "test_failure" },
    ],
  ])("%s", (_, changes, expected) => {
    expect(judge(facts(changes))).toMatchObject(expected);
  });

  test("FAIL-5: the signature is of the error, not of the agent's prose", () => {
    const silent = (finalMessage: string) =>
      judge(facts({ claims: says(finalMessage), checks: [], result: result({ finalMessage }) })).signature;
    expect(silent("I looked around.")).toBe(silent("I thought about it."));
    const checked = (excerpt: string) => judge(facts({ checks: [{ ...failedCheck, excerpt }] })).signature;
    expect(checked("error: a (12ms)")).toBe(checked("error: a (99ms)"));
    expect(checked("error: a")).not.toBe(checked("error: b"));
  });

  test("TRUST-1: what the agent said is redacted in the outcome", () => {
    const finalMessage = "export TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const outcome = judge(facts({ claims: says("x"), checks: [], result: result({ finalMessage }) }));
    expect(JSON.stringify(outcome)).not.toContain("ghp_0123456789");
  });

  test("FAIL-2: at most 4,000 characters of it", () => {
    const finalMessage = "word ".repeat(10_000);
    const outcome = judge(facts({ claims: says("x"), checks: [], result: result({ finalMessage }) }));
    expect(outcome.errorExcerpt.length).toBeLessThanOrEqual(4000);
  });
});

test("FAIL-5: the same error has the same signature under each task's own command; without output the command names it", () => {
  const after = (command: string, excerpt: string): string | null =>
    judge(facts({ checks: [check({ ...failedCheck, command, excerpt, reason: "exit code 1" })] })).signature;
  expect(after("npm test -- one", "wrong total")).toBe(after("npm test -- two", "wrong total"));
  expect(after("npm test -- one", "")).not.toBe(after("npm test -- two", ""));
});
