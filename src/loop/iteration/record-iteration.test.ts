import { expect, test } from "vitest";
import { claimsDone, failToSign, tempLoop } from "../../../test/temp-loop.ts";
import { attemptsOf } from "../../outcome/outcome-store.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import { addDependency } from "../../tasks/graph/task-graph.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { openIterations } from "../rows/iteration-store.ts";
import { pendingCommits } from "../rows/pending-commit-store.ts";
import { readWorkspaceState } from "../rows/workspace-state-store.ts";
import { runLoop } from "../run-loop.ts";

test("LOOP-21: verified work whose commit is pending is a stored verdict, and no dependent task is ready", async () => {
  const { setup, repository, published } = await tempLoop(`echo x > done.txt; ${claimsDone}`, ["one", "two"]);
  await setup.db.transaction((tx) =>
    addDependency(tx, { taskId: "t-2", blockerId: "t-1" }, setup.clock.now()),
  );
  failToSign(repository);
  await runLoop(setup);
  const [pending, ...others] = await pendingCommits(setup.db);
  expect(others).toEqual([]);
  expect(pending).toMatchObject({ taskId: "t-1", finished: ["t-1"], paths: ["done.txt"] });
  expect(pending?.verdict?.outcome).toMatchObject({ name: "done", verification: "passed" });
  expect((await getTask(setup.db, "t-1"))?.status).toBe("in_progress");
  expect(await attemptsOf(setup.db, "t-1")).toEqual([]);
  expect(await openIterations(setup.db)).toEqual([]);
  expect(await nextTask(setup.db)).toBeUndefined();
  // Until the commit exists the work counts as the task's unfinished work.
  expect(await readWorkspaceState(setup.db, setup.workspace)).toMatchObject({
    kind: "left",
    taskId: "t-1",
    leftover: ["done.txt"],
  });
  await setup.log.flush();
  expect(published).toContain("commit.failed");
  expect(published).not.toContain("iteration.finished");
});

test("FAIL-2 CTX-3: a failed attempt is recorded at once, with its report, its task and their events", async () => {
  const { setup, repository } = await tempLoop(`echo x > other.txt; ${claimsDone}`);
  const limits = { ...setup.options.limits, maxIterations: 1 };
  await runLoop({ ...setup, options: { ...setup.options, limits } });
  const [attempt] = await attemptsOf(setup.db, "t-1");
  expect(attempt).toMatchObject({ outcome: "failed", verification: "failed" });
  expect(await pendingCommits(setup.db)).toEqual([]);
  expect((await getTask(setup.db, "t-1"))?.status).toBe("pending");
  expect(await setup.db.get("SELECT COUNT(*) AS n FROM failure_reports")).toEqual({ n: 1 });
  expect(await readWorkspaceState(setup.db, setup.workspace)).toMatchObject({
    kind: "left",
    leftover: ["other.txt"],
  });
  expect(repository.read("other.txt")).toBe("x\n");
});
