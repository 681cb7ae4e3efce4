import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import { safe } from "../../base/safe-text.ts";
import type { Db, Tx } from "../../store/port/db.ts";
import { claimTask } from "./claim-store.ts";
import { nextTask } from "./next-task.ts";
import type { Claim, NewTask, Task } from "./task.ts";
import { addDependency } from "./task-graph.ts";
import { readTaskLog } from "./task-log-store.ts";
import { createTask, getTask, listTasks, requireTask, updateTask } from "./task-store.ts";
import {
  blockTask,
  completeTask,
  failTask,
  markDone,
  resetTask,
  returnTask,
  returnUnclaimed,
  splitTask,
} from "./task-transitions.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const owner = { pid: 7, startTime: "123", bootId: "boot", host: "here" };
const check = [{ run: "npm test", timeoutMs: null }];

type Given = NewTask & { readonly after?: readonly string[] };

async function graph(db: Db, tasks: readonly Given[]): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { after: _, ...task } of tasks) await createTask(tx, task, now);
    for (const { id = "", after = [] } of tasks) {
      for (const blockerId of after) await addDependency(tx, { taskId: id, blockerId }, now);
    }
  });
}

async function claim(tx: Tx, taskId: string): Promise<Claim> {
  const claimed = await claimTask(tx, { taskId, owner, runId: "r-1" }, now);
  if (!claimed) throw new Error(`${taskId} could not be claimed`);
  return claimed;
}

const ids = (tasks: readonly Task[] | undefined): string[] | undefined => tasks?.map(({ id }) => id);
const state = async (db: Db): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await listTasks(db)).map(({ id, status, blockCause }) => [
      id,
      blockCause ? `${status}:${blockCause}` : status,
    ]),
  );

test("TASK-2: completing a task tells which dependents are ready now", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "a", title: "A" },
    { id: "b", title: "B" },
    { id: "after-a", title: "T", after: ["a"] },
    { id: "after-both", title: "T", after: ["a", "b"] },
    { id: "free", title: "T" },
  ]);
  const end = await db.transaction(async (tx) => completeTask(tx, await claim(tx, "a"), now));
  expect([ids(end?.completed), ids(end?.unblocked)]).toEqual([["a"], ["after-a"]]);
  const other = await db.transaction(async (tx) => completeTask(tx, await claim(tx, "b"), now));
  expect(ids(other?.unblocked)).toEqual(["after-both"]);
  expect(await db.get("SELECT claimed_by FROM tasks WHERE id = 'a'")).toEqual({ claimed_by: null });
});

test("TASK-2: a parent completes with its last child, up to one that has verification of its own", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "top", title: "T", verification: check },
    { id: "middle", title: "T", parentId: "top" },
    { id: "one", title: "T", parentId: "middle" },
    { id: "two", title: "T", parentId: "middle" },
    { id: "after-middle", title: "T", after: ["middle"] },
  ]);
  const finish = (id: string): ReturnType<typeof completeTask> =>
    db.transaction(async (tx) => completeTask(tx, await claim(tx, id), now));
  expect(ids((await finish("one"))?.completed)).toEqual(["one"]);
  const end = await finish("two");
  expect(ids(end?.completed)).toEqual(["two", "middle"]);
  expect(ids(end?.unblocked)).toEqual(["top", "after-middle"]);
  expect((await nextTask(db))?.id).toBe("top");
  expect(ids((await finish("top"))?.completed)).toEqual(["top"]);
});

test("TASK-2: a parent whose children are done still waits for its own blockers", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "blocker", title: "T", priority: 3 },
    { id: "parent", title: "T", after: ["blocker"] },
    { id: "child", title: "T", parentId: "parent" },
  ]);
  expect(ids((await db.transaction((tx) => markDone(tx, "child", now))).completed)).toEqual(["child"]);
  expect(ids((await db.transaction((tx) => markDone(tx, "blocker", now))).completed)).toEqual([
    "blocker",
    "parent",
  ]);
});

test("TASK-2: the attempt cap does not hold a parent whose children are done", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "capped", title: "T", status: "blocked", blockCause: "attempts" },
    { id: "part", title: "T", parentId: "capped" },
    { id: "deferred", title: "T", status: "blocked", blockCause: "source" },
    { id: "other", title: "T", parentId: "deferred" },
  ]);
  const finish = (id: string): ReturnType<typeof markDone> => db.transaction((tx) => markDone(tx, id, now));
  expect(ids((await finish("part")).completed)).toEqual(["part", "capped"]);
  expect(ids((await finish("other")).completed)).toEqual(["other"]);
});

test("TASK-2: completing a task that hundreds wait for tells them all", async () => {
  const db = await openTempStore();
  const waiting = Array.from({ length: 700 }, (_, n) => ({ id: `n${n}`, title: "T", after: ["first"] }));
  await graph(db, [{ id: "first", title: "T" }, ...waiting]);
  const { unblocked } = await db.transaction((tx) => markDone(tx, "first", now));
  expect(ids(unblocked)).toEqual(waiting.map(({ id }) => id));
});

test("TASK-2: a claimed task that got children meanwhile goes back to wait for them", async () => {
  const db = await openTempStore();
  await graph(db, [{ id: "a", title: "A" }]);
  const held = await db.transaction((tx) => claim(tx, "a"));
  const [child] = await db.transaction((tx) =>
    splitTask(tx, "a", [{ title: "part" }], now, { attemptsBefore: 0 }),
  );
  expect(await state(db)).toMatchObject({ a: "in_progress" });
  expect(await db.transaction((tx) => completeTask(tx, held, now))).toEqual({ completed: [], unblocked: [] });
  const end = await db.transaction((tx) => markDone(tx, child?.id ?? "", now));
  expect(ids(end.completed)).toEqual([child?.id, "a"]);
});

test("TASK-9: a failed attempt returns the task to pending with the reason", async () => {
  const db = await openTempStore();
  await graph(db, [{ id: "a", title: "A" }]);
  await db.transaction(async (tx) =>
    returnTask(tx, await claim(tx, "a"), { reason: "npm test: exit code 1" }, now),
  );
  expect(await getTask(db, "a")).toMatchObject({ status: "pending", statusReason: "npm test: exit code 1" });
  expect((await nextTask(db))?.id).toBe("a");
  expect((await readTaskLog(db, "a")).map(({ message }) => message)).toEqual([
    "claimed by run r-1",
    "released by run r-1: npm test: exit code 1",
  ]);
});

test("TASK-9: the attempt cap blocks the task, its dependents only wait", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "a", title: "A" },
    { id: "b", title: "B", after: ["a"] },
  ]);
  await db.transaction(async (tx) =>
    blockTask(tx, await claim(tx, "a"), { cause: "attempts", reason: "5 of 5" }, now),
  );
  expect(await state(db)).toEqual({ a: "blocked:attempts", b: "pending" });
  expect(await nextTask(db)).toBeUndefined();
  const { task } = await db.transaction((tx) => resetTask(tx, "a", now, 5));
  expect(task).toMatchObject({ status: "pending", statusReason: null, blockCause: null, attemptsBefore: 5 });
});

test("TASK-9: a failed task blocks all that waits for it, with the reason, and reset opens it again", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "epic", title: "T" },
    { id: "bad", title: "T", parentId: "epic" },
    { id: "sibling", title: "T", parentId: "epic" },
    { id: "next", title: "T", after: ["bad"] },
    { id: "last", title: "T", after: ["next", "epic"] },
    {
      id: "deferred",
      title: "T",
      status: "blocked",
      blockCause: "source",
      statusReason: safe`later`,
      after: ["bad"],
    },
    { id: "behind", title: "T", after: ["deferred"] },
    { id: "free", title: "T" },
  ]);
  const end = await db.transaction((tx) => failTask(tx, "bad", "cannot be done", now));
  const failed = {
    bad: "failed",
    epic: "blocked:child",
    sibling: "pending",
    next: "blocked:dependency",
    last: "blocked:dependency",
    deferred: "blocked:source",
    behind: "blocked:dependency",
    free: "pending",
  };
  expect(await state(db)).toEqual(failed);
  expect(ids(end.blocked)?.toSorted()).toEqual(["behind", "epic", "last", "next"]);
  expect(await getTask(db, "epic")).toMatchObject({ statusReason: "bad failed: cannot be done" });
  expect((await nextTask(db))?.id).toBe("sibling");
  // Resetting what is blocked does not help: the failure is still there.
  const futile = await db.transaction((tx) => resetTask(tx, "next", now, 0));
  expect(futile.task).toMatchObject({ status: "blocked", blockCause: "dependency" });
  const reset = await db.transaction((tx) => resetTask(tx, "bad", now, 2));
  expect(reset.task).toMatchObject({ status: "pending", attemptsBefore: 2 });
  expect(ids(reset.reopened)?.toSorted()).toEqual(["behind", "epic", "last", "next"]);
  expect(await state(db)).toMatchObject({ epic: "pending", last: "pending", deferred: "blocked:source" });
});

test("TASK-9: a failed task that a person calls done lets its dependents go on", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "epic", title: "T" },
    { id: "bad", title: "T", parentId: "epic" },
    { id: "next", title: "T", after: ["bad"] },
  ]);
  await db.transaction((tx) => failTask(tx, "bad", "no", now));
  const end = await db.transaction((tx) => markDone(tx, "bad", now));
  expect([ids(end.completed), ids(end.unblocked)]).toEqual([["bad", "epic"], ["next"]]);
});

test("TASK-9: resetting a done child opens its parents again", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "top", title: "T" },
    { id: "middle", title: "T", parentId: "top" },
    { id: "leaf", title: "T", parentId: "middle" },
  ]);
  await db.transaction((tx) => markDone(tx, "leaf", now));
  expect(await state(db)).toEqual({ top: "done", middle: "done", leaf: "done" });
  const { reopened } = await db.transaction((tx) => resetTask(tx, "leaf", now, 1));
  expect(ids(reopened)).toEqual(["middle", "top"]);
  expect(await state(db)).toEqual({ top: "pending", middle: "pending", leaf: "pending" });
});

test("TASK-2: a parent with unfinished children cannot be called done", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "p", title: "P" },
    { id: "c", title: "C", parentId: "p" },
  ]);
  const done = db.transaction((tx) => markDone(tx, "p", now));
  await expect(done).rejects.toMatchObject({ code: "RALPH_TASK_HAS_CHILDREN" });
  expect(await state(db)).toEqual({ p: "pending", c: "pending" });
});

test("TASK-3: a split task waits for its parts, and its old attempts no longer count", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "big", title: "T", priority: 1, tags: ["x"] },
    { id: "after", title: "T", after: ["big"] },
  ]);
  await db.transaction(async (tx) => {
    await blockTask(tx, "big", { cause: "attempts", reason: "4 of 4" }, now);
  });
  const parts = await db.transaction((tx) =>
    splitTask(tx, "big", [{ title: "first" }, { title: "second" }], now, { attemptsBefore: 4 }),
  );
  expect(parts.map(({ title, priority, tags, parentId }) => ({ title, priority, tags, parentId }))).toEqual([
    { title: "first", priority: 1, tags: ["x"], parentId: "big" },
    { title: "second", priority: 1, tags: ["x"], parentId: "big" },
  ]);
  expect(await getTask(db, "big")).toMatchObject({ status: "pending", blockCause: null, attemptsBefore: 4 });
  expect((await nextTask(db))?.id).toBe(parts[0]?.id);
  for (const { id } of parts) await db.transaction((tx) => markDone(tx, id, now));
  expect(await state(db)).toMatchObject({ big: "done" });
  await expect(
    db.transaction((tx) => splitTask(tx, "big", [{ title: "x" }], now, { attemptsBefore: 0 })),
  ).rejects.toMatchObject({
    code: "RALPH_TASK_CLOSED",
  });
});

test("LOOP-11: tasks in progress that nobody holds are pending again", async () => {
  const db = await openTempStore();
  await graph(db, [
    { id: "lost", title: "T" },
    { id: "held", title: "T" },
  ]);
  await db.transaction(async (tx) => {
    await updateTask(tx, "lost", { status: "in_progress" }, now);
    await claim(tx, "held");
  });
  expect(ids(await db.transaction((tx) => returnUnclaimed(tx, now)))).toEqual(["lost"]);
  expect(await state(db)).toEqual({ lost: "pending", held: "in_progress" });
});

test("a task that vanished is named", async () => {
  const db = await openTempStore();
  for (const verdict of [
    (tx: Tx) => failTask(tx, "t-0", "no", now),
    (tx: Tx) => markDone(tx, "t-0", now),
    (tx: Tx) => resetTask(tx, "t-0", now, 0),
    (tx: Tx) => splitTask(tx, "t-0", [{ title: "x" }], now, { attemptsBefore: 0 }),
    (tx: Tx) => blockTask(tx, "t-0", { cause: "person", reason: "no" }, now),
    (tx: Tx) => requireTask(tx, "t-0"),
  ]) {
    await expect(db.transaction(async (tx) => void (await verdict(tx)))).rejects.toMatchObject({
      code: "RALPH_TASK_UNKNOWN",
    });
  }
});
