import { expect, test } from "vitest";
import { openTempStore } from "../../test/temp-store.ts";
import { createTask } from "./graph/task-store.ts";
import { openTaskActions } from "./task-actions.ts";

test("LOOP-7: an agent adds at most 50 tasks in an iteration and 200 in a run; a list may have more", async () => {
  const db = await openTempStore();
  const start = Date.parse("2026-03-01T10:00:00.000Z");
  const at = (minute: number): Date => new Date(start + minute * 60_000);
  const inList = (key: number) => ({
    title: `of the list ${key}`,
    source: { format: "markdown", path: "tasks.md", key: String(key) } as const,
  });
  await db.transaction(async (tx) => {
    for (let key = 0; key < 201; key++) await createTask(tx, inList(key), at(1));
  });

  const add = (iteration: number, title: string): Promise<unknown> =>
    openTaskActions({
      ...{ db, root: "/nonexistent", now: () => at(iteration), attemptCounts: async () => new Map() },
      actor: { currentTaskId: "t-1", isAlive: () => true },
      began: { iteration: at(iteration).toISOString(), run: at(0).toISOString() },
    }).add({ task: { title }, after: [] });
  for (let iteration = 2; iteration < 6; iteration++) {
    for (let task = 0; task < 50; task++) await add(iteration, `added ${iteration}-${task}`);
    await expect(add(iteration, "one more")).rejects.toMatchObject({
      code: "RALPH_TASK_FLOOD",
      message: "limit reached: 50 tasks per iteration",
    });
  }
  await expect(add(6, "later")).rejects.toMatchObject({
    message: "limit reached: 200 new tasks per run",
    hint: expect.stringContaining("final message"),
  });
});
