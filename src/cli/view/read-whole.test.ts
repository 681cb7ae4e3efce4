import { expect, test } from "vitest";
import { openTempStore } from "../../../test/temp-store.ts";
import { addTask } from "../../tasks/graph/task-graph.ts";
import { markDone } from "../../tasks/graph/task-transitions.ts";
import type { Project } from "../shell/command.ts";
import { readWhole } from "./read-whole.ts";

test("UX-3: a task waits for those before it until they are done, and waits for nothing when it is done itself", async () => {
  const db = await openTempStore();
  const now = new Date("2026-03-01T10:00:00Z");
  const waits = async (): Promise<readonly (readonly string[])[]> => {
    const { tasks } = await readWhole({ clock: { now: () => now } } as never, { db, root: "/p" } as Project);
    return tasks.map(({ waitsFor }) => waitsFor);
  };
  await db.transaction(async (tx) => {
    await addTask(tx, { task: { id: "a", title: "first" }, after: [] }, now);
    await addTask(tx, { task: { id: "b", title: "second" }, after: ["a"] }, now);
  });
  expect(await waits()).toEqual([[], ["a"]]);
  await db.transaction((tx) => markDone(tx, "a", now));
  expect(await waits()).toEqual([[], []]);
  await db.transaction((tx) => markDone(tx, "b", now));
  expect(await waits()).toEqual([[], []]);
});
