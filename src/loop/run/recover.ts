import { dirname, join, resolve } from "node:path";
import { killMarked, ownerIsAlive } from "../../agents/supervision.ts";
import { lookAt } from "../../base/careful-files.ts";
import { newId } from "../../base/ids.ts";
import { removeStaleTemporaries } from "../../base/temporary-files.ts";
import { record } from "../../events/event-store.ts";
import { recordInterruption } from "../../outcome/interruption-store.ts";
import { listClaims, releaseClaim } from "../../tasks/graph/claim-store.ts";
import { sourcePaths } from "../../tasks/graph/task-store.ts";
import { returnTask, returnUnclaimed } from "../../tasks/graph/task-transitions.ts";
import { columnText } from "../../trust/safe-text.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { removeFolder } from "../../workspace/git/remove-folder.ts";
import { removeStaleLocks } from "../../workspace/git/stale-lock.ts";
import { removeWorkTree } from "../../workspace/work-trees.ts";
import { choosingMarker } from "../iteration/choose-ahead.ts";
import { landPending } from "../land/land.ts";
import { endIteration, type OpenIteration, openIterationsHere } from "../rows/iteration-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { returnMessages } from "../rows/message-store.ts";
import { finishPendingCommit, pendingCommits } from "../rows/pending-commit-store.ts";
import { endRun, type RunRow, recentRuns, runById, runsHere } from "../rows/run-store.ts";
import { slotsLeft } from "../rows/slot-store.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { adoptMovedHead } from "../tree/adopt-moved-head.ts";
import { excludeUserChanges } from "../tree/exclude-user-changes.ts";
import { forgetOtherRuns, lastHeartbeatOf } from "../tree/last-heartbeat.ts";
import { finishRollback } from "../tree/rollback.ts";
import { clearTree } from "../tree/salvage-work.ts";
import { takeOutEdits } from "../tree/take-out-edits.ts";
import { forgetSlot, landingOn, openSlot, treeFolder } from "./open-slots.ts";
import { isShared } from "./share-project.ts";

/**
 * Recovers from a killed run: ends its agents' processes, releases its claims without costing an attempt, removes stale
 * git locks, completes a removal from the tree, and makes pending commits. The changes of its agent stay in the tree as
 * that task's work. Returns the paths that a user changed since and that such a removal left in place.
 */
export async function recover(loop: Loop): Promise<readonly string[]> {
  let processes = 0;
  const crashed = await openIterationsHere(loop.db);
  const dead = (await runsHere(loop.db)).filter((run) => run.id !== loop.runId);
  const lastAlive = await lastHeartbeatOf(loop, dead, crashed);
  for (const { marker } of crashed) processes += await killMarked(marker);
  // The verification of the baseline belongs to no iteration.
  for (const { id } of dead)
    for (const marker of [id, choosingMarker(id)]) processes += await killMarked(marker);
  const since = await startOfTrouble(loop, dead);
  const locks = since === undefined ? 0 : (await removeStaleLocks(loop.workspace, new Date(since))).length;
  for (const folder of await writtenFolders(loop)) removeStaleTemporaries(folder);
  // Before the iterations are closed: after a kill here, the next start inspects the agent's changes again.
  await adoptMovedHead(loop, await readWorkspaceState(loop.db, loop.workspace), { lastAlive });
  const userPaths = lastAlive ? await excludeUserChanges(loop, lastAlive) : [];
  const warnings = lastAlive ? await takeOutKilled(loop) : [];
  await finishRollback(loop);
  await closeOpenIterations(loop, "ralph was killed during this iteration");
  // Also the folders of iterations that were not recorded yet, or have ended.
  await removeFolder(loop.workspace, join(loop.folder, "tmp"));
  await removeFolder(loop.workspace, loop.cleanFolder);
  // A claim outlives its run while the commit of its task is pending.
  const landed = await landPending(loop, lastAlive);
  const commits = landed + (await recoverSlots(loop, since === undefined ? null : new Date(since)));
  const claims = crashed.length + (await releaseDeadClaims(loop));
  for (const run of dead) {
    const endedAt = loop.clock.now().toISOString();
    await commit(loop, (tx) => endRun(tx, { id: run.id, endedAt, reason: "crashed", exitCode: null }));
  }
  await forgetOtherRuns(loop);
  if (claims + processes + commits + locks + warnings.length === 0) return userPaths;
  const data = { claims, processes, commits, locks, warnings };
  await commit(loop, (tx) =>
    record(tx, { type: "run.recovered", runId: loop.runId, data }, loop.clock.now()),
  );
  return userPaths;
}

/**
 * Recovers the slots of a killed run: lands what was verified, saves what was not for the tasks' retry in any slot, and
 * removes their trees. Returns how many commits landed.
 */
async function recoverSlots(loop: Loop, since: Date | null): Promise<number> {
  let landed = 0;
  for (const { slot, branch } of await slotsLeft(loop.db)) {
    const folder = treeFolder(loop, slot);
    if (!lookAt(folder)) {
      await giveUpSlot(loop, slot);
    } else {
      const own = await openSlot(loop, landingOn(loop, branch), slot);
      if (since) await removeStaleLocks(own.workspace, since);
      removeStaleTemporaries(own.workspace.gitDir);
      await finishRollback(own);
      landed += await landPending(own, undefined);
      await clearTree(own);
    }
    await removeWorkTree(loop.workspace, folder);
    await forgetSlot(loop, slot);
  }
  return landed;
}

/** The tree is gone, and with it what was not committed: its tasks return to the list. */
async function giveUpSlot(loop: Loop, slot: string): Promise<void> {
  const claims = await listClaims(loop.db);
  for (const owed of await pendingCommits(loop.db, slot)) {
    await commit(loop, async (tx) => {
      const now = loop.clock.now();
      await finishPendingCommit(tx, owed, null, now);
      const claim = claims.find(({ taskId }) => taskId === owed.taskId);
      if (claim) await releaseClaim(tx, claim, now);
    });
  }
}

/** Returns the folders in which a run replaces files: its own, git's, the root, and the folders of task lists. */
async function writtenFolders({ db, projectRoot, folder, workspace }: Loop): Promise<ReadonlySet<string>> {
  const lists = (await sourcePaths(db)).map((path) => dirname(resolve(projectRoot, path)));
  return new Set([folder, workspace.gitDir, projectRoot, ...lists]);
}

/** Returns when the first killed run began, or the first of the latest consecutive runs that git stopped, perhaps by a lock. */
async function startOfTrouble(
  { db }: Pick<Loop, "db">,
  dead: readonly RunRow[],
): Promise<string | undefined> {
  const ended = (await recentRuns(db, 20)).filter(({ endedAt }) => endedAt !== null);
  const well = ended.findIndex(({ stopReason }) => stopReason !== "git" && stopReason !== "commit-failed");
  const stopped = well === -1 ? ended : ended.slice(0, well);
  return [...dead, ...stopped].map(({ startedAt }) => startedAt).sort()[0];
}

/** Takes a person's files out of the commits of a killed iteration's agent. A user's commits are below its baseline. */
async function takeOutKilled(loop: Loop): Promise<readonly string[]> {
  const state = await readWorkspaceState(loop.db, loop.workspace);
  if (state.kind !== "held" && state.kind !== "left") return [];
  const warnings = await takeOutEdits(loop, state.baseline);
  if (warnings.length === 0 || state.leftAt === null) return warnings;
  const { hash, ref } = await readHead(loop.workspace);
  await commit(loop, (tx) =>
    writeWorkspaceState(tx, loop.workspace, { ...state, leftAt: { head: hash, branch: ref } }),
  );
  return warnings;
}

type Closer = Pick<Loop, "clock" | "db" | "log">;

/** Ends iterations that cannot be judged, as when git is unusable: their tasks return to the list and no attempt counts. `only`: that of a task. */
export async function closeOpenIterations(
  loop: Closer,
  why: string,
  only: string | null = null,
): Promise<void> {
  for (const iteration of await openIterationsHere(loop.db))
    if (only === null || iteration.taskId === only) await closeUnjudged(loop, iteration, why);
}

async function closeUnjudged(loop: Closer, iteration: OpenIteration, message: string): Promise<void> {
  await commit(loop, async (tx) => {
    const now = loop.clock.now();
    const { iterationId, taskId, token, runId, model, startedAt, costUsd } = iteration;
    const durationMs = Math.max(0, now.getTime() - Date.parse(startedAt));
    const facts = {
      id: newId("x", 6),
      taskId,
      runId,
      agent: null,
      model,
      kind: "crashed",
      message: columnText(message),
      startedAt,
    };
    const none = { resetAt: null, waitUntil: null, limitedModel: null };
    await recordInterruption(tx, { ...facts, durationMs, costUsd, ...none });
    await returnTask(tx, { taskId, token }, { reason: null }, now);
    await returnMessages(tx, iterationId, now);
    await endIteration(tx, { iterationId, at: now.toISOString(), kind: "crashed", headAfter: null });
  });
}

/** Those of another working copy end with their lease: its next run lands their verified work. */
async function releaseDeadClaims(loop: Closer): Promise<number> {
  const dead = [];
  for (const claim of await listClaims(loop.db)) {
    const isOthers = isShared(loop) && (await runById(loop.db, claim.runId))?.isHere === false;
    if (!isOthers && !ownerIsAlive(claim.owner)) dead.push(claim);
  }
  for (const claim of dead) await commit(loop, (tx) => releaseClaim(tx, claim, loop.clock.now()));
  const unclaimed = await commit(loop, (tx) => returnUnclaimed(tx, loop.clock.now()));
  return dead.length + unclaimed.length;
}
