import { expect, test } from "vitest";
import { claimsDone, tempLoop } from "../../test/temp-loop.ts";
import { openIterations } from "./rows/iteration-store.ts";
import { runLoop } from "./run-loop.ts";

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
