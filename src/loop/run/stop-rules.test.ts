import { describe, expect, test } from "vitest";
import { exhausted, exitCodeFor, type GraphState, limitReached, type StopReason } from "./stop-rules.ts";

const nothing: GraphState = { unfinished: 0, failed: 0, needPerson: 0, stuck: 0 };
const graph = (changes: Partial<GraphState>): GraphState => ({ ...nothing, ...changes });

describe("LOOP-14: exit codes", () => {
  const cases: readonly (readonly [string, StopReason, GraphState, number])[] = [
    ["everything done", "done", nothing, 0],
    ["a task was marked failed", "failed", graph({ unfinished: 1, failed: 1 }), 1],
    ["a limit, tasks left", "max-iterations", graph({ unfinished: 2 }), 3],
    ["the budget, nothing left", "budget", nothing, 0],
    ["asked to stop", "stopped", graph({ unfinished: 1 }), 3],
    ["the agent cannot be reached", "agent-unavailable", graph({ unfinished: 1 }), 3],
    ["a task needs a person", "stuck", graph({ unfinished: 1, needPerson: 1, stuck: 1 }), 4],
    ["all that is left is held back by its file", "stuck", graph({ unfinished: 1, stuck: 1 }), 4],
    ["not logged in", "auth", graph({ unfinished: 1 }), 5],
    ["out of credit", "credit", graph({ unfinished: 1 }), 5],
    ["verification cannot be executed", "cannot-verify", graph({ unfinished: 1, needPerson: 1 }), 5],
    ["git refused", "commit-failed", graph({ unfinished: 1 }), 5],
    // Precedence 5, 4, 1, 3, 0.
    ["environment over stuck", "auth", graph({ unfinished: 3, needPerson: 1, failed: 1 }), 5],
    ["stuck over failed", "stuck", graph({ unfinished: 2, needPerson: 1, failed: 1, stuck: 1 }), 4],
    ["stuck over a limit", "max-iterations", graph({ unfinished: 2, needPerson: 1 }), 4],
    ["failed over a limit", "budget", graph({ unfinished: 2, failed: 1 }), 1],
    [
      "a task held back by its file is no reason while a limit is",
      "budget",
      graph({ unfinished: 2, stuck: 1 }),
      3,
    ],
  ];
  test.each(cases)("LOOP-14: %s (%s)", (_, reason, state, code) => {
    expect(exitCodeFor(reason, state)).toBe(code);
  });
});

test("LOOP-14: when nothing is ready, the graph says why", () => {
  expect(exhausted(nothing)).toBe("done");
  expect(exhausted(graph({ unfinished: 2, failed: 1 }))).toBe("failed");
  expect(exhausted(graph({ unfinished: 2, failed: 1, needPerson: 1 }))).toBe("stuck");
  expect(exhausted(graph({ unfinished: 1, stuck: 1 }))).toBe("stuck");
});

test("LOOP-7: each limit stops with its own reason, and 0 or null is none", () => {
  const none = {
    maxIterations: 0,
    maxAttempts: 0,
    stuckAfter: 0,
    escalateAfter: 2,
    budgetUsd: null,
    maxDurationMs: null,
  };
  const options = (changed: object) => ({
    limits: { ...none, taskTimeoutMs: 0, idleTimeoutMs: 0, ...changed },
  });
  const far = { iterations: 1e6, costUsd: 1e6, elapsedMs: 1e12 };
  expect(limitReached(options({}), far)).toBeUndefined();
  expect(limitReached(options({ maxIterations: 3 }), { ...far, iterations: 2 })).toBeUndefined();
  expect(limitReached(options({ maxIterations: 3 }), { ...far, iterations: 3 })).toBe("max-iterations");
  expect(limitReached(options({ budgetUsd: 1 }), { ...far, costUsd: 0.99 })).toBeUndefined();
  expect(limitReached(options({ budgetUsd: 1 }), { ...far, costUsd: 1 })).toBe("budget");
  expect(limitReached(options({ maxDurationMs: 1000 }), { ...far, elapsedMs: 1000 })).toBe("max-duration");
});
