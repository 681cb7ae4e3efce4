import { expect, test } from "vitest";
import { safe } from "../base/safe-text.ts";
import { evidenceOfNoProgress } from "./parking.ts";

type Failure = Parameters<typeof evidenceOfNoProgress>[0][number];

const failure = (attempt: number, changes: Partial<Failure> = {}): Failure => ({
  attempt,
  errorSignature: safe`e${attempt}`,
  tree: `tree${attempt}`,
  verification: "failed",
  splitRefused: null,
  ...changes,
});
const idle = (attempt: number) => failure(attempt, { verification: "no_change", tree: "nothing" });
const same = { tree: "a", errorSignature: safe`e` };
const evidence = (failures: readonly Failure[], stuckAfter = 3) =>
  evidenceOfNoProgress(failures, { stuckAfter });

test.each<[string, readonly Failure[], string]>([
  ["two false dones", [idle(4), idle(5)], "attempts 4 and 5 changed nothing"],
  [
    "the same tree and error",
    [failure(1, same), failure(2, same)],
    "attempts 1 and 2 left the same changes and had the same error",
  ],
  [
    "a return to an earlier tree and its error",
    [failure(1, same), failure(2), failure(3, same)],
    "attempts 1 and 3 left the same changes and had the same error",
  ],
  [
    "no change and the same error",
    [failure(1, { ...same, tree: "nothing" }), failure(2, { ...same, tree: "nothing" })],
    "attempts 1 and 2 changed nothing and had the same error",
  ],
  [
    "a person's files and the same error",
    [failure(1, { ...same, tree: "users-files" }), failure(2, { ...same, tree: "users-files" })],
    "attempts 1 and 2 changed nothing but files of yours and had the same error",
  ],
  [
    "two false dones, one with a person's file",
    [failure(1, { verification: "no_change", tree: "users-files" }), idle(2)],
    "attempts 1 and 2 changed nothing but files of yours",
  ],
])("STRAT-4: %s, whatever stuckAfter is", (_, failures, expected) => {
  expect(evidence(failures, 0)).toBe(expected);
  expect(evidence(failures, 9)).toBe(expected);
});

test.each<[string, readonly Failure[]]>([
  ["the first failure", [idle(1)]],
  ["a false done, then work", [idle(1), failure(2)]],
  ["another error with the same tree", [failure(1, { tree: "a" }), failure(2, { tree: "a" })]],
  [
    "another tree with the same error",
    [failure(1, { errorSignature: safe`e` }), failure(2, { errorSignature: safe`e` })],
  ],
  ["unknown trees", [failure(1, { ...same, tree: null }), failure(2, { ...same, tree: null })]],
])("STRAT-4: no evidence: %s", (_, failures) => {
  expect(evidence(failures)).toBeNull();
});

test("STRAT-4: the ladder ends when the attempt after the stuck warning meets the same error", () => {
  const errors = (...signatures: readonly ("a" | "b")[]) =>
    signatures.map((name, index) => failure(index + 1, { errorSignature: safe`${name}` }));
  const ended = "attempt 3 had the same error again, despite the stuck warning in its prompt";
  expect(evidence(errors("a", "a", "a"), 2)).toBe(ended);
  expect(evidence(errors("a", "a", "a"), 3)).toBeNull();
  expect(evidence(errors("a", "a", "a"), 0)).toBeNull();
  expect(evidence(errors("a", "a", "b"), 2)).toBeNull();
  expect(
    evidence([...errors("a", "a"), failure(3, { errorSignature: safe`a`, splitRefused: "x" })], 2),
  ).toBeNull();
});
