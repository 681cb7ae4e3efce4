import { beforeEach, expect, test } from "vitest";
import { sampleOutcome, saying } from "../../test/sample-outcome.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { safe } from "../base/safe-text.ts";
import type { Outcome } from "../outcome/outcome.ts";
import { recordOutcome } from "../outcome/outcome-store.ts";
import type { Db } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";
import { createTask } from "../tasks/graph/task-store.ts";
import { type StatusSection, statusSections, strategyInstructions } from "./loop-status.ts";
import { countAttempt } from "./strategy-store.ts";
import { deleteOldMetrics, difficultyOf, resetMetrics } from "./task-metrics.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
let db: Db;
let task: Task;

beforeEach(async () => {
  db = await openTempStore();
  task = await db.transaction((tx) => createTask(tx, { id: "t-1", title: "Parse dates" }, now));
});

async function capture(outcome: Outcome): Promise<void> {
  await db.transaction(async (tx) => {
    await recordOutcome(tx, outcome);
    await countAttempt(tx, outcome, { stuckAfter: 3 }, now);
  });
}

async function section(name: string, attempt = 2): Promise<StatusSection | undefined> {
  const place = { task, attempt, runId: "run-1", iteration: attempt, maxIterations: 10, maxAttempts: 5 };
  const all = await statusSections(db, {
    ...place,
    stuckAfter: 3,
    model: "sonnet",
    rationale: "middle tier",
  });
  return all.find((one) => one.name === name);
}

const metrics = (): Promise<unknown> => db.get("SELECT * FROM strategy_metrics WHERE task_id = 't-1'");
const done = (attempt: number): Outcome =>
  sampleOutcome({
    attempt,
    name: "done",
    verification: "passed",
    category: null,
    signature: null,
    errorExcerpt: "",
  });

test("STRAT-1: attempts are counted, failures in a row end with success, the stuck flag with it", async () => {
  await capture(sampleOutcome({ claims: saying({ difficulty: "hard", nextModel: safe`opus` }) }));
  expect(await metrics()).toMatchObject({
    total_attempts: 1,
    consecutive_failures: 1,
    stuck_flag: 0,
    next_model: "opus",
  });
  await capture(sampleOutcome({ attempt: 2, name: "no_sigil" }));
  await capture(sampleOutcome({ attempt: 3, name: "error" }));
  expect(await metrics()).toMatchObject({
    consecutive_failures: 3,
    stuck_flag: 1,
    next_model: null,
    last_success_at: null,
  });
  await capture(done(4));
  expect(await metrics()).toEqual({
    task_id: "t-1",
    total_attempts: 4,
    consecutive_failures: 0,
    last_attempt_at: now.toISOString(),
    last_success_at: now.toISOString(),
    difficulty_estimate: "hard",
    suggested_model: "sonnet",
    stuck_flag: 0,
    next_model: null,
    value_usd: null,
  });
});

test("STRAT-1: a reset clears the stuck flag and the failures in a row, not the history", async () => {
  for (const attempt of [1, 2, 3]) await capture(sampleOutcome({ attempt }));
  expect(await section("stuck", 4)).toBeDefined();
  await db.transaction((tx) => resetMetrics(tx, "t-1"));
  expect(await metrics()).toMatchObject({ total_attempts: 3, consecutive_failures: 0, stuck_flag: 0 });
  expect(await section("stuck", 4)).toBeUndefined();
});

test("STRAT-4: the third failure in a row brings the warning, within 400 characters", async () => {
  for (const attempt of [1, 2]) await capture(sampleOutcome({ attempt }));
  expect(await section("stuck", 3)).toBeUndefined();
  await capture(sampleOutcome({ attempt: 3 }));
  const stuck = await section("stuck", 4);
  const text = `${stuck?.heading}\n\n${stuck?.text}`;
  expect(text).toMatch(/^### Stuck Loop Warning\n\n.*failed 3 times in a row.*clearly different approach/);
  expect(text.length).toBeLessThanOrEqual(398);
});

test("STRAT-6: the loop status is one block, on the last attempt: no other can act on it", async () => {
  await capture(sampleOutcome());
  await capture({ ...done(2), taskId: "t-1" });
  await capture(sampleOutcome({ attempt: 3 }));
  expect(await section("status", 4)).toBeUndefined();
  expect((await section("status", 5))?.text).toBe(
    `- This is the last attempt. If you cannot finish, leave the best state and name what a person must decide.
- Iteration 5 of 10 of this run; attempt 5 of at most 5 at this task, 1 failure in a row
- Run success rate: 33% (1 of 3 attempts done)
- Model: sonnet (middle tier)`,
  );
});

test("LEARN-9: metrics of a finished task are deleted by age", async () => {
  await capture(sampleOutcome({ claims: saying({ difficulty: "hard" }) }));
  const before = await metrics();
  const ages = { metricsMs: 30 * 86_400_000 };
  const later = new Date(now.getTime() + 31 * 86_400_000);
  expect(await deleteOldMetrics(db, { ...ages, now: later })).toEqual([]);
  await db.transaction((tx) => tx.run("UPDATE tasks SET status = 'done'"));
  expect(await deleteOldMetrics(db, { ...ages, now })).toEqual([]);
  expect(await deleteOldMetrics(db, { ...ages, now: later, dryRun: true })).toEqual(["t-1"]);
  expect([await metrics(), await difficultyOf(db, "t-1")]).toEqual([before, "hard"]);
  expect(await deleteOldMetrics(db, { ...ages, now: later })).toEqual(["t-1"]);
  expect([await metrics(), await difficultyOf(db, "t-1")]).toEqual([undefined, "unknown"]);
});

test("SIG-9: the strategy's instructions name its sigil", () => {
  expect(strategyInstructions).toContain("<difficulty-estimate>");
});
