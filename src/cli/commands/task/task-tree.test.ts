import fc from "fast-check";
import { expect, test } from "vitest";
import type { Task } from "../../../tasks/graph/task.ts";
import { taskTree } from "./task-tree.ts";

function task(id: string, parentId: string | null = null): Task {
  return {
    id,
    parentId,
    title: `Task ${id}`,
    description: "",
    status: "pending",
    statusReason: null,
    blockCause: null,
    priority: 2,
    tags: [],
    files: [],
    acceptance: [],
    verification: [],
    allowNoChange: false,
    allowRed: false,
    parallelGroup: null,
    commitTemplate: null,
    source: null,
    attemptsBefore: 0,
    position: 1,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
  };
}

const drawn = (tasks: readonly Task[]): string[] =>
  taskTree(tasks).map(({ branch, task: { id } }) => branch + id);

test("draws parents above their children", () => {
  const tasks = [task("a"), task("b"), task("a1", "a"), task("a2", "a"), task("a11", "a1"), task("b1", "b")];
  expect(drawn(tasks)).toEqual(["a", "├─ a1", "│  └─ a11", "└─ a2", "b", "└─ b1"]);
});

test("a task whose parent is not there, or is itself below it, still stands in the tree", () => {
  expect(drawn([task("x", "gone")])).toEqual(["x"]);
  expect(drawn([task("x", "x")])).toEqual(["x"]);
  expect(drawn([task("x", "y"), task("y", "x"), task("z")])).toEqual(["z", "x", "└─ y"]);
});

test("whatever the parents, each task stands there once, and no branch grows without end", () => {
  const parents = fc.array(fc.option(fc.nat(40), { nil: null }), { maxLength: 40 });
  fc.assert(
    fc.property(parents, (list) => {
      const tasks = list.map((parent, at) => task(`${at}`, parent === null ? null : `${parent}`));
      const lines = taskTree(tasks);
      expect(lines.map((line) => line.task.id).toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
    }),
  );
});

test("TASK-7: a chain of 10,000 tasks is drawn, with branches that still fit a screen", () => {
  const chain = Array.from({ length: 10_000 }, (_, at) => task(`${at}`, at === 0 ? null : `${at - 1}`));
  const lines = taskTree(chain);
  expect(lines).toHaveLength(10_000);
  expect(lines.at(-1)?.depth).toBe(9_999);
  expect(Math.max(...lines.map(({ branch }) => branch.length))).toBeLessThan(80);
});
