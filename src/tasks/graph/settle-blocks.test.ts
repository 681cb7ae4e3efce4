import fc from "fast-check";
import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import type { Tx } from "../../store/port/db.ts";
import { addDependency, allDependencies } from "./task-graph.ts";
import { createTask, listTasks } from "./task-store.ts";
import { failTask, markDone, resetTask } from "./task-transitions.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const size = 8;
const name = (n: number): string => `n${n}`;

/** Runs `work`; what is refused changes nothing. */
async function tolerate(tx: Tx, work: () => Promise<unknown>): Promise<void> {
  await tx.savepoint(work).catch((error) => expect(error.code).toMatch(/^RALPH_TASK_/));
}

interface Node {
  readonly parent: number;
  readonly blocker: number;
}

async function createGraph(tx: Tx, nodes: readonly Node[]): Promise<void> {
  for (const [n, { parent }] of nodes.entries()) {
    await createTask(tx, { id: name(n), title: "T", parentId: parent < n ? name(parent) : null }, now);
  }
  for (const [n, { blocker }] of nodes.entries()) {
    if (blocker === size) continue;
    await tolerate(tx, () => addDependency(tx, { taskId: name(n), blockerId: name(blocker) }, now));
  }
}

const verdicts = {
  fail: (tx: Tx, id: string) => failTask(tx, id, "no", now),
  reset: (tx: Tx, id: string) => resetTask(tx, id, now, 0),
  done: (tx: Tx, id: string) => tolerate(tx, () => markDone(tx, id, now)),
};

test("TASK-2, TASK-9: after any verdicts, blocked is exactly what waits for a failure", async () => {
  const db = await openTempStore();
  const node = fc.record({ parent: fc.nat(size), blocker: fc.nat(size) });
  const shape = fc.array(node, { minLength: size, maxLength: size });
  const step = fc.tuple(fc.constantFrom("fail", "reset", "done"), fc.nat(size - 1));
  await fc.assert(
    fc.asyncProperty(shape, fc.array(step, { maxLength: 10 }), async (nodes, steps) => {
      const undo = new Error("undo");
      const work = db.transaction(async (tx) => {
        await createGraph(tx, nodes);
        for (const [verdict, n] of steps) {
          await verdicts[verdict](tx, name(n));
          await expectConsistent(tx);
        }
        throw undo;
      });
      await expect(work).rejects.toBe(undo);
    }),
    { numRuns: 60 },
  );
});

/** Returns the right `status`, by following every wait from every open task. */
async function expectConsistent(tx: Tx): Promise<void> {
  const tasks = new Map((await listTasks(tx)).map((task) => [task.id, task]));
  const edges = await allDependencies(tx);
  const waitsForFailure = (id: string): boolean => {
    const below = [...tasks.values()].filter(({ parentId }) => parentId === id).map((child) => child.id);
    const blockers = edges.filter(({ taskId }) => taskId === id).map(({ blockerId }) => blockerId);
    return [...below, ...blockers].some((other) => {
      const status = tasks.get(other)?.status;
      return status === "failed" || (status !== "done" && waitsForFailure(other));
    });
  };
  for (const { id, status } of tasks.values()) {
    if (status === "done" || status === "failed") continue;
    expect([id, status]).toEqual([id, waitsForFailure(id) ? "blocked" : "pending"]);
  }
}
