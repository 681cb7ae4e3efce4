import fc from "fast-check";
import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import { addDependency, allDependencies, blockersOf, removeDependency } from "./task-graph.ts";
import { createTask, getTask } from "./task-store.ts";
import { failTask } from "./task-transitions.ts";

const now = new Date("2026-03-01T10:00:00.000Z");

test("TASK-2: a dependency is added once and can be taken away", async () => {
  const db = await openTempStore();
  const edge = { taskId: "b", blockerId: "a" };
  await db.transaction(async (tx) => {
    for (const id of ["a", "b", "c"]) await createTask(tx, { id, title: id }, now);
    await addDependency(tx, edge, now);
    await addDependency(tx, edge, now);
    await addDependency(tx, { taskId: "b", blockerId: "c" }, now);
  });
  expect(await blockersOf(db, "b")).toEqual(["a", "c"]);
  expect(await allDependencies(db)).toEqual([edge, { taskId: "b", blockerId: "c" }]);
  expect(await db.transaction((tx) => removeDependency(tx, edge, now))).toBe(true);
  expect(await db.transaction((tx) => removeDependency(tx, edge, now))).toBe(false);
  expect(await blockersOf(db, "b")).toEqual(["c"]);
  const types = await db.all<{ type: string }>(
    "SELECT type FROM events WHERE type LIKE 'dependency.%' ORDER BY seq",
  );
  expect(types.map(({ type }) => type)).toEqual([
    "dependency.added",
    "dependency.added",
    "dependency.removed",
  ]);
});

test("TASK-2: a cycle is refused with its path", async () => {
  const db = await openTempStore();
  const depend = (taskId: string, blockerId: string): Promise<void> =>
    db.transaction((tx) => addDependency(tx, { taskId, blockerId }, now));
  await db.transaction(async (tx) => {
    for (const id of ["a", "b", "c"]) await createTask(tx, { id, title: id }, now);
    await createTask(tx, { id: "b1", title: "child of b", parentId: "b" }, now);
  });
  await depend("b", "a");
  await depend("c", "b");
  await expect(depend("a", "a")).rejects.toThrow("a → a is a cycle");
  await expect(depend("a", "c")).rejects.toMatchObject({
    code: "RALPH_TASK_CYCLE",
    message: "Task a cannot wait for c: a → c → b → a is a cycle.",
  });
  // A parent waits for its child.
  await expect(depend("b1", "b")).rejects.toThrow("b1 → b → b1");
  await expect(depend("b1", "c")).rejects.toThrow("b1 → c → b → b1");
  await expect(depend("a", "nope")).rejects.toMatchObject({ code: "RALPH_TASK_UNKNOWN" });
  expect(await allDependencies(db)).toHaveLength(2);
});

test("TASK-2: exactly what would close a cycle is refused, whatever came before", async () => {
  const db = await openTempStore();
  const size = 7;
  const ids = (run: number): string[] => Array.from({ length: size }, (_, at) => `r${run}-${at}`);
  const edges = fc.array(fc.tuple(fc.nat(size - 1), fc.nat(size - 1)), { maxLength: 20 });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(edges, async (list) => {
      const names = ids(run++);
      const waits = new Map<number, Set<number>>();
      const reaches = (from: number, to: number): boolean =>
        from === to || [...(waits.get(from) ?? [])].some((next) => reaches(next, to));
      await db.transaction(async (tx) => {
        for (const id of names) await createTask(tx, { id, title: id }, now);
        for (const [task, blocker] of list) {
          const edge = { taskId: names[task] ?? "", blockerId: names[blocker] ?? "" };
          const refused = await addDependency(tx, edge, now).then(
            () => false,
            () => true,
          );
          expect(refused).toBe(reaches(blocker, task));
          if (!refused) waits.set(task, (waits.get(task) ?? new Set()).add(blocker));
        }
      });
    }),
    { numRuns: 40 },
  );
});

test("TASK-9: a blocker that has failed blocks at once, and no longer when it is taken away", async () => {
  const db = await openTempStore();
  await db.transaction(async (tx) => {
    for (const id of ["a", "b", "c"]) await createTask(tx, { id, title: id }, now);
    await addDependency(tx, { taskId: "c", blockerId: "b" }, now);
    await failTask(tx, "a", "wrong idea", now);
    await addDependency(tx, { taskId: "b", blockerId: "a" }, now);
  });
  const blocked = { status: "blocked", blockCause: "dependency", statusReason: "a failed: wrong idea" };
  expect(await getTask(db, "b")).toMatchObject(blocked);
  expect(await getTask(db, "c")).toMatchObject(blocked);
  await db.transaction((tx) => removeDependency(tx, { taskId: "b", blockerId: "a" }, now));
  expect(await getTask(db, "b")).toMatchObject({ status: "pending", blockCause: null, statusReason: null });
  expect(await getTask(db, "c")).toMatchObject({ status: "pending" });
});
