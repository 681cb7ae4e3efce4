import { rm } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { killMarked, ownerIsAlive } from "../../agents/supervision.ts";
import { newId } from "../../base/ids.ts";
import { record } from "../../events/outbox-store.ts";
import { recordInterruption } from "../../outcome/interruption-store.ts";
import { listClaims, releaseClaim } from "../../tasks/claim-store.ts";
import { returnTask, returnUnclaimed } from "../../tasks/finish-task.ts";
import { sourcePaths } from "../../tasks/task-store.ts";
import { removeStaleTemporaries } from "../../trust/stale-temporaries.ts";
import { restoreAfterCrash } from "../../workspace/guard.ts";
import { removeStaleIndexes, removeStaleLocks } from "../../workspace/stale-lock.ts";
import { settleCommits } from "../commit/settle-commits.ts";
import { endIteration, type OpenIteration, openIterations } from "../iteration-store.ts";
import { commit, type Loop } from "../loop.ts";
import { returnMessages } from "../message-store.ts";
import { endRun, openRuns, type RunRow, recentRuns } from "../run-store.ts";
import { adoptMovedHead } from "../tree/adopt-moved-head.ts";
import { excludePersonChanges } from "../tree/exclude-user-changes.ts";
import { finishRollback } from "../tree/rollback.ts";
import { readWorkspaceState, writeWorkspaceState } from "../workspace-state-store.ts";
import { forgetOtherRuns, lastAliveOf } from "./last-alive.ts";

/**
 * Puts right what a killed ralph left: its agents' processes are ended, its claims released without burning an
 * attempt, a lock of git's removed, what it was taking out of the tree taken out, its owed commits made. What its agent
 * wrote stays in the tree as that task's work. Returns the paths that a person changed since and that such a removal
 * left in place.
 */
export async function recover(loop: Loop): Promise<readonly string[]> {
  const crashed = await openIterations(loop.db);
  const dead = (await openRuns(loop.db)).filter((run) => run.id !== loop.runId);
  const lastAlive = await lastAliveOf(loop, dead, crashed);
  let processes = 0;
  for (const { marker } of crashed) processes += await killMarked(marker);
  const warnings = await restorePlanted(loop);
  const since = await startOfTrouble(loop, dead);
  const locks = since === undefined ? 0 : await removeStaleLocks(loop.workspace, new Date(since));
  await removeStaleIndexes(loop.workspace);
  for (const folder of await writtenFolders(loop)) await removeStaleTemporaries(folder);
  // Before the iterations are closed: killed here, the next start looks again at what the agent did.
  await adoptMovedHead(loop, await readWorkspaceState(loop.db), { lastAlive });
  const persons = lastAlive ? await excludePersonChanges(loop, lastAlive) : [];
  await finishRollback(loop);
  await closeOpenIterations(loop, "ralph was killed during this iteration");
  // Those of iterations too that were not written down yet, or ended already.
  await rm(join(loop.folder, "tmp"), { recursive: true, force: true });
  // A claim outlives its run while the commit of its task is pending.
  const settled = await settleCommits({ ...loop, lastAlive });
  const commits = settled.filter(({ made }) => made).length;
  const claims = crashed.length + (await releaseDeadClaims(loop));
  for (const run of dead) {
    const endedAt = loop.clock.now().toISOString();
    await commit(loop, (tx) => endRun(tx, { id: run.id, endedAt, reason: "crashed", exitCode: null }));
  }
  await forgetOtherRuns(loop);
  if (claims + processes + commits + locks + warnings.length === 0) return persons;
  const data = { claims, processes, commits, locks, warnings };
  await commit(loop, (tx) =>
    record(tx, { type: "run.recovered", runId: loop.runId, data }, loop.clock.now()),
  );
  return persons;
}

/** Where a run replaces files: its own folder, the root, and the folders of task lists. */
async function writtenFolders({ db, root, folder }: Loop): Promise<ReadonlySet<string>> {
  const lists = (await sourcePaths(db)).map((path) => dirname(resolve(root, path)));
  return new Set([folder, root, ...lists]);
}

/** When the first of the killed runs began, and of the latest runs in a row that git stopped, by a lock perhaps. */
async function startOfTrouble(loop: Loop, dead: readonly RunRow[]): Promise<string | undefined> {
  const ended = (await recentRuns(loop.db, 20)).filter(({ endedAt }) => endedAt !== null);
  const well = ended.findIndex(({ stopReason }) => stopReason !== "git" && stopReason !== "commit-failed");
  const stopped = well === -1 ? ended : ended.slice(0, well);
  return [...dead, ...stopped].map(({ startedAt }) => startedAt).sort()[0];
}

/** Before any other git command: what a killed iteration's agent did to git's configuration would run in it. */
async function restorePlanted(loop: Loop): Promise<readonly string[]> {
  const state = await readWorkspaceState(loop.db);
  if (!state.guard) return [];
  const folder = join(loop.folder, "put-aside", loop.runId);
  const names = await restoreAfterCrash(loop.workspace, state.guard, folder);
  if (names.length === 0) await rm(folder, { recursive: true, force: true });
  await commit(loop, (tx) => writeWorkspaceState(tx, { ...state, guard: null }));
  const kept = `what it was is in ${relative(loop.root, folder)}`;
  return names.map((name) => `put back ${name}, which a killed iteration's agent may have changed; ${kept}`);
}

/** Ends iterations that can come to no verdict, as when git is gone: their tasks are given back, no attempt burnt. */
export async function closeOpenIterations(loop: Loop, why: string): Promise<void> {
  for (const iteration of await openIterations(loop.db)) await closeUnjudged(loop, iteration, why);
}

async function closeUnjudged(loop: Loop, iteration: OpenIteration, message: string): Promise<void> {
  await commit(loop, async (tx) => {
    const now = loop.clock.now();
    const { taskId, token, runId, model, startedAt, costUsd } = iteration;
    const durationMs = Math.max(0, now.getTime() - Date.parse(startedAt));
    const facts = {
      id: newId("x", 6),
      taskId,
      runId,
      agent: null,
      model,
      kind: "crashed",
      message,
      startedAt,
    };
    await recordInterruption(
      tx,
      { ...facts, durationMs, costUsd, resetAt: null, waitUntil: null, limitedModel: null },
      now,
    );
    await returnTask(tx, { taskId, token }, { reason: null }, now);
    await returnMessages(tx, iteration.id, now);
    await endIteration(tx, { id: iteration.id, at: now.toISOString(), kind: "crashed", headAfter: null });
  });
}

async function releaseDeadClaims(loop: Loop): Promise<number> {
  const dead = (await listClaims(loop.db)).filter((claim) => !ownerIsAlive(claim.owner));
  for (const claim of dead) {
    await commit(loop, (tx) => releaseClaim(tx, claim, loop.clock.now()));
  }
  const unclaimed = await commit(loop, (tx) => returnUnclaimed(tx, loop.clock.now()));
  return dead.length + unclaimed.length;
}
