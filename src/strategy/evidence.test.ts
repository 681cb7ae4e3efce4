import { expect, test } from "vitest";
import { fixed, type SafeOrFixed } from "../base/safe-text.ts";
import type { Attempt } from "../outcome/outcome-store.ts";
import { evidenceOf } from "./evidence.ts";

type Facts = Pick<Attempt, "errorSignature" | "tree">;

function attempts(...facts: readonly Facts[]): readonly Attempt[] {
  return facts.map((one, at) => ({
    taskId: "t-1",
    attempt: at + 1,
    iterationId: null,
    runId: null,
    agent: null,
    model: "m",
    startedAt: "2026-03-01T10:00:00.000Z",
    durationMs: 1,
    tokensInput: null,
    tokensOutput: null,
    tokensCacheRead: null,
    tokensCacheWrite: null,
    costUsd: null,
    costSource: null,
    agentModel: null,
    sessionId: null,
    stopReason: null,
    contextUsed: null,
    contextSize: null,
    compactions: null,
    errorKind: null,
    permissionDenials: [],
    outcome: "failed",
    verification: "failed",
    errorType: null,
    verificationOutput: "noise\nsrc/a.ts(1,2): error TS2322: no\u001b[31m\nsuch",
    reason: "verification failed",
    splitRefused: null,
    warnings: [],
    ...one,
  }));
}
const of = <const T extends string>(error: SafeOrFixed<T>, tree: string | null): Facts => ({
  errorSignature: fixed(error),
  tree,
});

test.each([
  [
    "the same error again and again",
    [of("e", "1"), of("e", "2"), of("e", "3")],
    "the same error 3 times: src/a.ts(1,2): error TS2322: no",
  ],
  [
    "the same changes under another error",
    [of("a", "1"), of("b", "2"), of("c", "2")],
    "attempts 2 and 3 left the same changes behind",
  ],
  [
    "both",
    [of("e", "1"), of("e", "1"), of("e", "1")],
    "the same error 3 times: src/a.ts(1,2): error TS2322: no; attempts 1 to 3 left the same changes behind",
  ],
  [
    "no change at all",
    [of("a", "nothing"), of("b", "nothing"), of("c", "nothing")],
    "attempts 1 to 3 changed nothing",
  ],
  [
    "only a person's files",
    [of("a", "users-files"), of("b", "users-files")],
    "attempts 1 and 2 changed nothing but files of the user",
  ],
  ["a circle", [of("a", "1"), of("b", "2"), of("c", "1")], "attempt 3 came back to what attempt 1 had left"],
  ["progress", [of("a", "1"), of("b", "2"), of("c", "3")], "each with another error"],
  [
    "another error after repeated ones",
    [of("a", "1"), of("a", "2"), of("b", "3")],
    "attempt 3 met another error than attempt 2",
  ],
  [
    "an earlier error again",
    [of("a", "1"), of("b", "2"), of("a", "3")],
    "attempt 3 met the error of attempt 1 again",
  ],
  ["attempts of which nothing is known", [of("a", null), of("b", null)], "each with another error"],
])("STRAT-4: the warning names the evidence: %s", (_, facts, said) => {
  expect(evidenceOf(attempts(...facts))).toBe(said);
});
