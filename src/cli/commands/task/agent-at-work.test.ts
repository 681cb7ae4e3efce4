import { expect, test } from "vitest";
import { type CommandFolder, twoTasks } from "../../../../test/command-folder.ts";
import { openTempStoreAt } from "../../../../test/temp-store.ts";
import { thisOwner } from "../../../agents/supervision.ts";
import { claimFlags, claimTask } from "../../../tasks/graph/claim-store.ts";
import type { Claim } from "../../../tasks/graph/task.ts";
import { returnTask } from "../../../tasks/graph/task-transitions.ts";
import { done, fail } from "./close.ts";
import { command as list } from "./list.ts";
import { command as reset } from "./reset.ts";
import { command as show } from "./show.ts";

async function claimByThisProcess(folder: CommandFolder, taskId: string): Promise<Claim | undefined> {
  const db = await openTempStoreAt(folder.cwd);
  return db.transaction((tx) => claimTask(tx, { taskId, owner: thisOwner(), runId: "r-1" }, new Date()));
}

test("LOOP-4: done and fail of a task that a run works on are only claims", async () => {
  const folder = await twoTasks();
  const claim = await claimByThisProcess(folder, "a");
  if (!claim) throw new Error("not claimed");
  const db = await openTempStoreAt(folder.cwd);
  expect(await folder.runInside("a", done, "a")).toContain("claim recorded: a is done; ralph verifies it");
  expect(await claimFlags(db, claim)).toEqual({ done: true, failed: false });
  expect(await folder.runInside("a", fail, "a")).toContain("claim recorded: a is failed");
  expect(await claimFlags(db, claim)).toEqual({ done: true, failed: true });
  // Also from another terminal, while the run lives.
  expect(await folder.run(done, "a")).toContain("claim recorded: a is done");
  expect(await folder.json(show, "a")).toMatchObject({ status: "in_progress" });
  await expect(folder.run(reset, "a")).rejects.toMatchObject({ code: "RALPH_TASK_IN_PROGRESS" });
});

test("TASK-9: a person fails a task also while a run works on it", async () => {
  const folder = await twoTasks();
  const claim = await claimByThisProcess(folder, "a");
  if (!claim) throw new Error("not claimed");
  const db = await openTempStoreAt(folder.cwd);
  expect(await folder.run(fail, "a")).toMatch(/^failed a/);
  expect(await folder.json(show, "a")).toMatchObject({ status: "failed" });
  expect(await db.transaction((tx) => returnTask(tx, claim, { reason: "late" }, new Date()))).toBeUndefined();
  expect(await folder.json(show, "a")).toMatchObject({ status: "failed" });
});

test("LOOP-4: an agent has no say over other tasks", async () => {
  const folder = await twoTasks();
  for (const [spec, ...words] of [
    [done, "b"],
    [fail, "b"],
  ] as const) {
    await expect(folder.runInside("a", spec, ...words)).rejects.toMatchObject({
      code: "RALPH_TASK_INSIDE_ITERATION",
    });
  }
  await expect(folder.runInside("a", done, "a")).rejects.toMatchObject({ code: "RALPH_TASK_NOT_CLAIMED" });
  expect(await folder.json(list)).toMatchObject([{ status: "pending" }, { status: "pending" }]);
});
