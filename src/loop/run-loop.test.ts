import { expect, test } from "vitest";
import { claimsDone, tempLoop } from "../../test/temp-loop.ts";
import { attemptsOf } from "../outcome/outcome-store.ts";
import { getTask } from "../tasks/graph/task-store.ts";
import { openIterations } from "./rows/iteration-store.ts";
import { runById } from "./rows/run-store.ts";
import { runLoop } from "./run-loop.ts";

test("LOOP-1 LOOP-21: a run judges, commits, and only then is the task done; it ends with exit code 0", async () => {
  const { setup, repository, published } = await tempLoop(`echo x > done.txt; ${claimsDone}`);
  const end = await runLoop(setup);
  expect(end).toMatchObject({ reason: "done", exitCode: 0, fault: null, iterations: 1 });
  expect((await getTask(setup.db, "t-1"))?.status).toBe("done");
  expect(repository.git("log", "--format=%s")).toMatch(/Write done\.txt/);
  expect(repository.git("status", "--porcelain")).toBe("");
  const steps = ["run.started", "iteration.started", "agent.finished", "verification.finished"];
  const order = [...steps, "iteration.finished", "run.finished"].map((type) => published.indexOf(type));
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  expect(order).not.toContain(-1);
  expect(published.indexOf("commit.created")).toBeGreaterThan(published.indexOf("verification.finished"));
  expect(await runById(setup.db, "run-1")).toMatchObject({ stopReason: "done", exitCode: 0 });
});

test("LOOP-7 LOOP-14: the limit on iterations ends a run with exit code 3, and the other task stays as it was", async () => {
  const limits = { ...(await tempLoop("true")).setup.options.limits, maxIterations: 1 };
  const { setup } = await tempLoop(`echo x > done.txt; ${claimsDone}`, ["one", "two"], { limits });
  expect(await runLoop(setup)).toMatchObject({ reason: "max-iterations", exitCode: 3, iterations: 1 });
  expect((await getTask(setup.db, "t-2"))?.status).toBe("pending");
  expect(await attemptsOf(setup.db, "t-2")).toEqual([]);
});

test("LOOP-4 LOOP-14: a claim that verification refutes uses up the attempts, and the task then needs a person", async () => {
  const { setup, repository } = await tempLoop(`date +%N >> other.txt; ${claimsDone}`);
  expect(await runLoop(setup)).toMatchObject({ reason: "stuck", exitCode: 4, iterations: 2 });
  expect((await attemptsOf(setup.db, "t-1")).map(({ outcome }) => outcome)).toEqual(["failed", "failed"]);
  expect((await getTask(setup.db, "t-1"))?.status).toBe("blocked");
  expect(repository.git("log", "--format=%s")).toBe("first");
});

test("LOOP-10: a run that is asked to stop before its first iteration starts no agent", async () => {
  const { setup, repository, published } = await tempLoop("touch started.txt");
  const end = await runLoop({ ...setup, stop: AbortSignal.abort() });
  expect(end).toMatchObject({ reason: "stopped", exitCode: 3, iterations: 0 });
  expect(published).not.toContain("iteration.started");
  expect(repository.git("status", "--porcelain")).toBe("");
});

test("LOOP-18: an agent that removes the folder of temporary files does not end the run", async () => {
  const { setup } = await tempLoop(`rm -rf .ralph/tmp; date +%N >> a.txt; ${claimsDone}`);
  expect(await runLoop(setup)).toMatchObject({ reason: "stuck", exitCode: 4, iterations: 2, fault: null });
  expect(await openIterations(setup.db)).toEqual([]);
});
