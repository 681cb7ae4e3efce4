import { RalphError } from "../base/errors.ts";
import { record } from "../events/outbox-store.ts";
import { resetStrategy } from "../memory/reset-memory.ts";
import { lastAttempt } from "../tasks/attempt-counts.ts";
import { resetTask } from "../tasks/finish-task.ts";
import { requireTask } from "../tasks/task-store.ts";
import { takeBaseline } from "../workspace/baseline.ts";
import { commitsBetween, revertCommit, revertedSince } from "../workspace/revert.ts";
import { head } from "../workspace/status.ts";
import { dropProject, holdProject } from "./begin-run.ts";
import type { Loop } from "./loop.ts";
import { write } from "./loop.ts";
import { finishedCommits } from "./pending-commit-store.ts";
import { recover } from "./recover.ts";

/** What was taken back. */
export interface Undone {
  /** The commits that are reverted, newest first. */
  readonly reverted: readonly string[];
  /** HEAD now. */
  readonly head: string;
}

/**
 * Reverts what finished `taskId` (the agent's own commits and ralph's, with the tick in the source file) by new
 * commits and reopens the task. The history stays; nothing is done when one of them cannot be reverted.
 *
 * @throws RalphError `RALPH_UNDO_NOTHING` when the task has no commit, `RALPH_GIT_DIRTY`, `RALPH_GIT_REVERT_FAILED`,
 * `RALPH_RUN_ACTIVE`.
 */
export async function undoTask(loop: Loop, taskId: string): Promise<Undone> {
  await holdProject(loop);
  try {
    await recover(loop);
    await takeBaseline(loop.workspace, { allowDirty: false });
    const commits = await commitsToRevert(loop, taskId);
    const now =
      commits.length > 0 ? await revertCommit(loop.workspace, ...commits) : await head(loop.workspace);
    const undone = { reverted: commits, head: now ?? "" };
    await write(loop, async (tx) => {
      const at = loop.clock.now();
      await resetStrategy(tx, taskId, at);
      await resetTask(tx, taskId, at, await lastAttempt(tx, taskId));
      await record(tx, { type: "task.undone", runId: loop.runId, data: { taskId, ...undone } }, at);
    });
    return undone;
  } finally {
    await dropProject(loop, "undo");
  }
}

async function commitsToRevert(loop: Loop, taskId: string): Promise<readonly string[]> {
  const [last] = await finishedCommits(loop.db, taskId);
  const commits = last ? await commitsBetween(loop.workspace, last.base, last.hash) : [];
  const undone = last && commits.length > 0 ? await revertedSince(loop.workspace, last.base) : new Set();
  const standing = commits.filter((hash) => !undone.has(hash));
  if (standing.length > 0) return standing;
  // Killed between git and the store, an undo has only that left to do.
  if (commits.length > 0 && (await requireTask(loop.db, taskId)).status === "done") return [];
  const why =
    commits.length > 0 ? `task ${taskId} is undone already` : `no commit of task ${taskId} is known`;
  throw new RalphError("RALPH_UNDO_NOTHING", why, {
    hint: `ralph log ${taskId} shows what was done; ralph task reset ${taskId} reopens it`,
  });
}
