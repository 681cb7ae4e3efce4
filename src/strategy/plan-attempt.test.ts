import { beforeEach, expect, test } from "vitest";
import { sampleOutcome, saying } from "../../test/sample-outcome.ts";
import { openTempStore } from "../../test/temp-store.ts";
import { safe } from "../base/safe-text.ts";
import type { Outcome } from "../outcome/outcome.ts";
import { recordOutcome } from "../outcome/outcome-store.ts";
import type { Db } from "../store/port/db.ts";
import type { NewTask, Task } from "../tasks/graph/task.ts";
import { createTask } from "../tasks/graph/task-store.ts";
import { planAttempt, type StrategyName } from "./plan-attempt.ts";
import { countAttempt } from "./strategy-store.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
let db: Db;
let minute: number;

beforeEach(async () => {
  db = await openTempStore();
  minute = 0;
});

const add = (task: NewTask): Promise<Task> => db.transaction((tx) => createTask(tx, task, now));

async function attempt(taskId: string, number: number, changes: Partial<Outcome> = {}): Promise<void> {
  minute += 1;
  const startedAt = new Date(now.getTime() + minute * 60_000).toISOString();
  const outcome = sampleOutcome({ taskId, attempt: number, startedAt, ...changes });
  await db.transaction(async (tx) => {
    await recordOutcome(tx, outcome);
    await countAttempt(tx, outcome, { stuckAfter: 3 }, now);
  });
}

const agent = { name: "command", defaultModel: "sonnet" };
const tiers = ["haiku", "sonnet", "opus"] as const;

async function select(task: Task, strategy: StrategyName = "cost-optimized", iteration = 2) {
  const available = () => ({ choice: { agent, tiers }, insteadOf: null, wait: null });
  const planned = await planAttempt(db, {
    ...{ strategy, flagModel: null, task, iteration, available },
    ...{ limits: { maxAttempts: 6, escalateAfter: 2 }, usualUsd: new Map(), taskValueUsd: null },
  });
  if (!("plan" in planned)) throw new Error("no agent is available");
  return planned.plan;
}

test("STRAT-4: the first failure changes nothing, the second brings the stronger model, success ends it", async () => {
  const task = await add({ id: "t-1", title: "a" });
  const models: string[] = [];
  for (const number of [1, 2]) {
    models.push((await select(task)).model);
    await attempt("t-1", number);
  }
  models.push((await select(task)).model);
  await attempt("t-1", 3, { name: "done" });
  models.push((await select(task)).model);
  expect(models).toEqual(["sonnet", "sonnet", "opus", "sonnet"]);
});

test.each([
  ["escalate", "haiku"],
  ["cost-optimized", "sonnet"],
] as const)("STRAT-4: merge conflicts select no stronger model: %s", async (strategy, model) => {
  const task = await add({ id: "t-1", title: "a" });
  for (const number of [1, 2]) await attempt("t-1", number, { signature: safe`merge_conflict:abc` });
  expect((await select(task, strategy)).model).toBe(model);
});

test("STRAT-2: only the last 20 outcomes count", async () => {
  const task = await add({ id: "t-1", title: "a" });
  const fresh = await add({ id: "t-2", title: "b" });
  for (let number = 1; number <= 5; number += 1) await attempt("t-1", number);
  for (let number = 6; number <= 22; number += 1) await attempt("t-1", number, { name: "done" });
  expect((await select(fresh)).model).toBe("haiku");
  await attempt("t-1", 23);
  expect((await select(fresh)).rationale).toContain("cheap tier: 17 of the last 20");
  for (const number of [24, 25, 26]) await attempt("t-1", number);
  expect((await select(fresh)).model).toBe("sonnet");
  expect((await select(task)).model).toBe("opus");
});

test("STRAT-2: of tasks with the same difficulty, those that share a tag or file speak first", async () => {
  const task = await add({ id: "t-1", title: "a", tags: ["dates"] });
  await add({ id: "t-2", title: "b", tags: ["dates"] });
  await add({ id: "t-3", title: "c" });
  const hard = { claims: saying({ difficulty: "hard" }) };
  await attempt("t-3", 1, { name: "done", model: "sonnet", ...hard });
  await attempt("t-2", 1, { name: "done", model: "opus", ...hard });
  await attempt("t-1", 1, { claims: saying({ difficulty: "easy" }) });
  expect((await select(task)).model).toBe("sonnet");
  await attempt("t-1", 2, { name: "done", ...hard });
  expect((await select(task)).rationale).toContain("similar tasks");
  expect((await select(task)).model).toBe("opus");
});

test("STRAT-3: a failed attempt's <next-model> holds for its task's next attempt only", async () => {
  const task = await add({ id: "t-1", title: "a" });
  const other = await add({ id: "t-2", title: "b" });
  await attempt("t-1", 1, { claims: saying({ nextModel: safe`haiku` }) });
  expect(await select(other)).toMatchObject({ model: "sonnet", overridden: false });
  expect(await select(task)).toMatchObject({ model: "haiku", overridden: true });
  await attempt("t-1", 2, { model: "haiku" });
  expect(await select(task)).toMatchObject({ model: "opus", overridden: false });
});

test("STRAT-3: a finished one's holds for the run's next iteration", async () => {
  await add({ id: "t-1", title: "a" });
  const next = await add({ id: "t-2", title: "b" });
  await attempt("t-1", 1, { name: "done", claims: saying({ nextModel: safe`opus` }) });
  expect(await select(next, "fixed", 2)).toMatchObject({ model: "opus", overridden: true });
  expect(await select(next, "fixed", 1)).toMatchObject({ model: "sonnet", overridden: false });
  await attempt("t-2", 1, { model: "opus" });
  expect(await select(next, "fixed", 3)).toMatchObject({ model: "sonnet", overridden: false });
});
