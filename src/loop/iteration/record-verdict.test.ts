import { expect, test } from "vitest";
import { sampleOutcome } from "../../../test/sample-outcome.ts";
import { tempLoop } from "../../../test/temp-loop.ts";
import { thisOwner } from "../../agents/supervision.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { refusedAsGone, refusedByConflict } from "../../outcome/refused-commit.ts";
import { metricsOf } from "../../strategy/strategy-store.ts";
import { claimTask } from "../../tasks/graph/claim-store.ts";
import { requireTask } from "../../tasks/graph/task-store.ts";
import { recordVerdict } from "./record-verdict.ts";

const commits = ["abc other work"];
const conflict = (outcome: Outcome): Outcome =>
  refusedByConflict(outcome, { paths: ["shared.txt"], hunks: "<<<<<<<", commits, ref: "refs/x" });
const gone = (outcome: Outcome): Outcome => refusedAsGone(outcome, { base: "abcdef", commits });
const fail = (outcome: Outcome): Outcome => ({ ...outcome, tree: String(outcome.attempt) });

/** Records attempts at one task, and returns its last status, its reason, and the failures in a row that the strategy counts. */
async function after(ends: readonly ((outcome: Outcome) => Outcome)[]) {
  const { setup } = await tempLoop("true", ["one"], { limits: { ...unlimited } });
  let status = "";
  for (const [at, end] of ends.entries()) {
    const now = new Date(Date.UTC(2026, 0, 1, at));
    status = await setup.db.transaction(async (tx) => {
      const claim = await claimTask(tx, { taskId: "t-1", runId: "run-1", owner: thisOwner() }, now);
      if (!claim) throw new Error("not claimed");
      const outcome = end(
        sampleOutcome({
          attempt: at + 1,
          iterationId: `i-${at}`,
          tree: "same",
          startedAt: now.toISOString(),
        }),
      );
      const task = await requireTask(tx, "t-1");
      const verdict = { outcome, task, claim, number: 1, maySplit: false, permissionHint: null };
      return (await recordVerdict(tx, { ...setup, projectRoot: setup.root }, verdict, now)).status;
    });
  }
  const { statusReason } = await requireTask(setup.db, "t-1");
  return [status, statusReason, (await metricsOf(setup.db, "t-1")).consecutiveFailures];
}

const unlimited = {
  maxIterations: 0,
  maxAttempts: 0,
  stuckAfter: 3,
  escalateAfter: 2,
  budgetUsd: null,
  maxDurationMs: null,
  taskTimeoutMs: 20_000,
  idleTimeoutMs: 20_000,
};

test.each([
  ["two conflicts return the task", [conflict, conflict], ["pending", expect.any(String), 0]],
  [
    "three in a row need a person",
    [conflict, conflict, conflict],
    [
      "blocked",
      expect.stringMatching(/^needs a person: its verified work could not land 3 times in a row/),
      0,
    ],
  ],
  [
    "lost work counts as one",
    [conflict, gone, gone],
    ["blocked", expect.stringMatching("could not land"), 0],
  ],
  ["a failure between them", [conflict, conflict, fail, conflict], ["pending", expect.any(String), 1]],
])("STRAT-4: verified work that conflicts is no failure: %s", async (_, ends, expected) => {
  expect(await after(ends)).toEqual(expected);
});
