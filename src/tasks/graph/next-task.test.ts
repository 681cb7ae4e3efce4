import fc from "fast-check";
import { expect, test } from "vitest";
import { fastestRun } from "../../../test/fastest-run.ts";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Tx } from "../../store/port/db.ts";
import { insertDependency } from "./dependency-store.ts";
import { nextTask } from "./next-task.ts";
import { type BlockCause, type NewTask, type TaskStatus, taskStatuses } from "./task.ts";
import { newTaskColumns } from "./task-fields.ts";
import { addDependency } from "./task-graph.ts";
import { createTask, insertTasks, updateTask } from "./task-store.ts";

const at = (second: number): Date => new Date(Date.UTC(2026, 2, 1, 10, 0, second));

async function create(tx: Tx, tasks: readonly (NewTask & { readonly second?: number })[]): Promise<void> {
  for (const { second = 0, ...task } of tasks) await createTask(tx, task, at(second));
}

test("LOOP-2: priority first, then age, then the order of one instant", async () => {
  const db = await openTempStore();
  await db.transaction((tx) =>
    create(tx, [
      { id: "late", title: "T", second: 9 },
      { id: "z-first", title: "T", second: 5 },
      { id: "a-second", title: "T", second: 5 },
      { id: "low-but-old", title: "T", priority: 3, second: 1 },
      { id: "critical", title: "T", priority: 0, second: 9 },
    ]),
  );
  const order: string[] = [];
  for (let task = await nextTask(db); task; task = await nextTask(db)) {
    const { id } = task;
    order.push(id);
    await db.transaction((tx) => updateTask(tx, id, { status: "done" }, at(10)));
  }
  expect(order).toEqual(["critical", "z-first", "a-second", "late", "low-but-old"]);
});

test("LOOP-2: waits for blockers and for children", async () => {
  const db = await openTempStore();
  const set = (id: string, status: TaskStatus): Promise<unknown> =>
    db.transaction((tx) => updateTask(tx, id, { status }, at(1)));
  await db.transaction(async (tx) => {
    await create(tx, [
      { id: "parent", title: "T", priority: 0, verification: [{ run: "true", timeoutMs: null }] },
      { id: "child", title: "T", parentId: "parent" },
      { id: "blocker", title: "T", priority: 3 },
    ]);
    await addDependency(tx, { taskId: "child", blockerId: "blocker" }, at(0));
  });
  expect((await nextTask(db))?.id).toBe("blocker");
  await set("blocker", "in_progress");
  expect(await nextTask(db)).toBeUndefined();
  await set("blocker", "done");
  expect((await nextTask(db))?.id).toBe("child");
  await set("child", "done");
  expect((await nextTask(db))?.id).toBe("parent");
});

test("LOOP-2: an ancestor that is blocked for itself, or failed, holds what lies below it", async () => {
  const db = await openTempStore();
  await db.transaction((tx) =>
    create(tx, [
      { id: "top", title: "T" },
      { id: "middle", title: "T", parentId: "top" },
      { id: "leaf", title: "T", parentId: "middle" },
    ]),
  );
  const nextWith = async (status: TaskStatus, blockCause: BlockCause | null): Promise<string | undefined> => {
    await db.transaction((tx) => updateTask(tx, "top", { status, blockCause }, at(1)));
    return (await nextTask(db))?.id;
  };
  expect(await nextWith("pending", null)).toBe("leaf");
  expect(await nextWith("blocked", "source")).toBeUndefined();
  expect(await nextWith("blocked", "person")).toBeUndefined();
  expect(await nextWith("failed", null)).toBeUndefined();
  // Its other child failed: that says nothing against this one.
  expect(await nextWith("blocked", "child")).toBe("leaf");
  expect(await nextWith("done", null)).toBe("leaf");
});

test("LOOP-19: a run told which tasks to take takes them and what lies below them", async () => {
  const db = await openTempStore();
  await db.transaction((tx) =>
    create(tx, [
      { id: "other", title: "T", priority: 0 },
      { id: "epic", title: "T" },
      { id: "story", title: "T", parentId: "epic" },
      { id: "single", title: "T", priority: 3 },
    ]),
  );
  expect((await nextTask(db, ["epic"]))?.id).toBe("story");
  expect((await nextTask(db, ["single"]))?.id).toBe("single");
  expect((await nextTask(db, ["single", "epic"]))?.id).toBe("story");
  expect(await nextTask(db, ["nobody"])).toBeUndefined();
  expect(await nextTask(db, [])).toBeUndefined();
});

interface Spec {
  readonly status: TaskStatus;
  readonly cause: BlockCause;
  readonly priority: number;
  readonly second: number;
  /** An earlier task, or none. */
  readonly parent: number;
  readonly blockers: readonly number[];
}

/** LOOP-2, read word by word over plain arrays. */
function oracle(specs: readonly Spec[]): number | undefined {
  const parentOf = (n: number): number | undefined => {
    const parent = specs[n]?.parent ?? n;
    return parent < n ? parent : undefined;
  };
  const isHeld = (n: number): boolean => {
    const parent = parentOf(n);
    const above = parent === undefined ? undefined : specs[parent];
    if (parent === undefined || !above) return false;
    const own = above.status === "blocked" && above.cause !== "child" && above.cause !== "dependency";
    return own || above.status === "failed" || isHeld(parent);
  };
  const isReady = (n: number): boolean =>
    specs[n]?.status === "pending" &&
    specs[n].blockers.every((blocker) => blocker >= n || specs[blocker]?.status === "done") &&
    specs.every((child, c) => parentOf(c) !== n || child.status === "done") &&
    !isHeld(n);
  const key = (n: number): string =>
    `${specs[n]?.priority} ${specs[n]?.second} ${String(n).padStart(3, "0")}`;
  const ready = specs.map((_, n) => n).filter(isReady);
  return ready.toSorted((a, b) => (key(a) < key(b) ? -1 : 1))[0];
}

test("LOOP-2: agrees with a naive reading on any graph", async () => {
  const db = await openTempStore();
  const spec = fc.record({
    status: fc.oneof(
      { weight: 3, arbitrary: fc.constant("pending" as const) },
      fc.constantFrom(...taskStatuses),
    ),
    cause: fc.constantFrom<BlockCause>("attempts", "source", "dependency", "child", "person", "needs"),
    priority: fc.nat(3),
    second: fc.nat(3),
    parent: fc.nat(20),
    blockers: fc.uniqueArray(fc.nat(20), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(spec, { minLength: 1, maxLength: 12 }), async (specs) => {
      const undo = new Error("undo");
      const check = db.transaction(async (tx) => {
        for (const [n, each] of specs.entries()) await createFrom(tx, n, each);
        const expected = oracle(specs);
        expect((await nextTask(tx))?.id).toBe(expected === undefined ? undefined : `n${expected}`);
        throw undo;
      });
      await expect(check).rejects.toBe(undo);
    }),
    { numRuns: 150 },
  );
});

async function createFrom(tx: Tx, n: number, spec: Spec): Promise<void> {
  const { status, cause, priority, second } = spec;
  const parentId = spec.parent < n ? `n${spec.parent}` : null;
  const blockCause = status === "blocked" ? cause : null;
  await createTask(tx, { id: `n${n}`, title: "T", status, blockCause, priority, parentId }, at(second));
  for (const blocker of spec.blockers.filter((earlier) => earlier < n)) {
    await insertDependency(tx, { taskId: `n${n}`, blockerId: `n${blocker}` }, at(0));
  }
}

test("TASK-7: the next of 10,000 tasks is found in 50 ms, also when nearly all of them wait", async () => {
  const db = await openTempStore();
  const name = (n: number): string => `n${n}`;
  const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);
  const held = { title: "T", status: "blocked", blockCause: "person" } as const;
  const tasks = [
    ...range(0, 500).map((n) => ({ id: name(n), ...held })),
    ...range(500, 1000).map((n) => ({ id: name(n), title: "T", parentId: name(n - 500) })),
    ...range(1000, 2000).map((n) => ({ id: name(n), title: "T", status: "done" }) as const),
    { id: name(2000), title: "T", status: "in_progress" } as const,
    ...range(2001, 10_000).map((n) => ({ id: name(n), title: "T" })),
  ];
  await db.transaction(async (tx) => {
    await insertTasks(tx, tasks.map(newTaskColumns), at(0));
    for (const n of range(2001, 10_000))
      await insertDependency(tx, { taskId: name(n), blockerId: name(n - 1) }, at(0));
  });
  expect(await nextTask(db)).toBeUndefined();
  expect(await fastestRun(() => nextTask(db), { bound: 50 })).toBeLessThan(50);
});
