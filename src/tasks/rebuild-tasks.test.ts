import { join } from "node:path";
import { expect, test } from "vitest";
import { openTempStore } from "../../test/temp-store.ts";
import { systemClock } from "../base/clock.ts";
import { openEventLog } from "../events/event-log.ts";
import { rebuildFromLog } from "../events/rebuild.ts";
import { claimTask } from "./claim-store.ts";
import { addDependency, removeDependency } from "./graph.ts";
import { createTask, updateTask } from "./task-store.ts";
import { completeTask, failTask, resetTask, returnTask, splitTask } from "./task-transitions.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const owner = { pid: 7, startTime: "123", bootId: "boot", host: "here" };

test("CTX-3: the log alone gives tasks, dependencies and their history back", async () => {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (const id of ["a", "b", "c", "d"]) await createTask(tx, { id, title: `Täsk ${id}`, tags: [id] }, now);
    await addDependency(tx, { taskId: "b", blockerId: "a" }, now);
    await addDependency(tx, { taskId: "c", blockerId: "b" }, now);
    await addDependency(tx, { taskId: "d", blockerId: "c" }, now);
    await removeDependency(tx, { taskId: "d", blockerId: "c" }, now);
    const first = await claimTask(tx, { taskId: "a", owner, runId: "r-1" }, now);
    if (first) await returnTask(tx, first, { reason: "tests fail" }, now);
    const second = await claimTask(tx, { taskId: "a", owner, runId: "r-1" }, now);
    if (second) await completeTask(tx, second, now);
    await failTask(tx, "b", "no", now);
    await resetTask(tx, "b", now, 3);
    await splitTask(tx, "c", [{ title: "one" }, { title: "two" }], now, { attemptsBefore: 0 });
    await updateTask(tx, "d", { parentId: "c", verification: [{ run: "make", timeoutMs: 5 }] }, now);
  });
  const file = join(db.location, "..", "events.jsonl");
  await openEventLog({ db, file, clock: systemClock }).flush();
  const copy = await openTempStore();
  expect(await rebuildFromLog(copy, file)).toMatchObject({ skippedLines: 0 });
  for (const table of ["tasks", "dependencies", "task_logs"]) {
    const rows = await db.all(`SELECT * FROM ${table} ORDER BY 1, 2`);
    expect(rows.length).toBeGreaterThan(1);
    expect(await copy.all(`SELECT * FROM ${table} ORDER BY 1, 2`)).toEqual(rows);
  }
});
