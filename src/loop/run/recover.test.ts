import { expect, test } from "vitest";
import { claimsDone, failToSign, tempLoop } from "../../../test/temp-loop.ts";
import { attemptsOf } from "../../outcome/outcome-store.ts";
import { claimTask, listClaims } from "../../tasks/graph/claim-store.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import type { Loop, LoopSetup } from "../rows/loop.ts";
import { pendingCommits } from "../rows/pending-commit-store.ts";
import { openRuns, runById } from "../rows/run-store.ts";
import { runLoop } from "../run-loop.ts";
import { acquireProject } from "./begin-run.ts";
import { openLoop } from "./open-loop.ts";
import { recover } from "./recover.ts";

/** The next start of ralph, as a run of its own. */
const nextRun = (setup: LoopSetup): Loop => openLoop({ ...setup, runId: "run-2" });

test("LOOP-11 LOOP-21: recovery makes the pending commit of verified work once, without another attempt", async () => {
  const { setup, repository } = await tempLoop(`echo x > done.txt; ${claimsDone}`);
  failToSign(repository);
  expect(await runLoop(setup)).toMatchObject({ reason: "commit-failed", exitCode: 5 });
  expect(await pendingCommits(setup.db)).toHaveLength(1);
  repository.git("config", "--unset", "commit.gpgsign");

  expect(await recover(nextRun(setup))).toEqual([]);
  expect(await pendingCommits(setup.db)).toEqual([]);
  expect((await getTask(setup.db, "t-1"))?.status).toBe("done");
  expect((await attemptsOf(setup.db, "t-1")).map(({ outcome }) => outcome)).toEqual(["done"]);
  const commits = repository.git("log", "--format=%H");
  expect(commits.split("\n")).toHaveLength(2);
  await recover(nextRun(setup));
  expect(repository.git("log", "--format=%H")).toBe(commits);
  expect(await attemptsOf(setup.db, "t-1")).toHaveLength(1);
});

test("LOOP-11: the run and the claims of a dead process are closed; the task is ready again and no attempt counts", async () => {
  const { setup, published } = await tempLoop("true");
  const owner = { ...setup.owner, pid: 2 ** 22 - 3, startTime: "1" };
  await acquireProject({ ...setup, owner });
  const claim = { taskId: "t-1", runId: setup.runId, owner };
  await setup.db.transaction((tx) => claimTask(tx, claim, setup.clock.now()));
  expect((await getTask(setup.db, "t-1"))?.status).toBe("in_progress");
  await recover(nextRun(setup));
  expect(await listClaims(setup.db)).toEqual([]);
  expect(await openRuns(setup.db)).toEqual([]);
  expect(await runById(setup.db, "run-1")).toMatchObject({ stopReason: "crashed" });
  expect((await getTask(setup.db, "t-1"))?.status).toBe("pending");
  expect(await attemptsOf(setup.db, "t-1")).toEqual([]);
  await setup.log.flush();
  expect(published).toContain("run.recovered");
});
