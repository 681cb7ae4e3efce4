import { RalphError } from "../base/errors.ts";
import { record } from "../events/event-store.ts";
import { lastAttempt } from "../outcome/outcome-store.ts";
import { resetMetrics } from "../strategy/task-metrics.ts";
import type { Task } from "../tasks/graph/task.ts";
import { insertTaskLog } from "../tasks/graph/task-log-store.ts";
import { getTask, requireTask } from "../tasks/graph/task-store.ts";
import { resetTask } from "../tasks/graph/task-transitions.ts";
import { tickText, untickSource } from "../tasks/write-back.ts";
import { columnText } from "../trust/safe-text.ts";
import { takeBaseline } from "../workspace/baseline.ts";
import { branchName, readHead } from "../workspace/git/read-head.ts";
import { head } from "../workspace/git/status.ts";
import {
  branchesElsewhere,
  commitsBetween,
  type NamedCommit,
  namedCommits,
  RevertConflict,
  revertCommits,
  revertedSince,
  type TickEdits,
} from "../workspace/revert.ts";
import { iterationTrailer } from "./iteration/commit-message.ts";
import { commit, type Loop, type LoopSetup } from "./rows/loop.ts";
import { finishedCommits, tasksOfCommits } from "./rows/pending-commit-store.ts";
import { acquireProject, releaseProject } from "./run/begin-run.ts";
import { openLoop } from "./run/open-loop.ts";
import { recover } from "./run/recover.ts";

/** The result of an undo. */
export interface Undone {
  /** The reverted commits, newest first. */
  readonly reverted: readonly string[];
  /** HEAD now. */
  readonly head: string;
}

/** An undo has no flag that leaves a person's edits alone, unlike a run: a revert may have to change the same files. */
function withoutFlagOfRun(error: unknown): never {
  if (!(error instanceof RalphError) || error.code !== "RALPH_GIT_DIRTY") throw error;
  throw new RalphError(error.code, error.message, { hint: "Commit or stash them first." });
}

/**
 * Reverts the commits of `taskId` (the agent's own and ralph's) by new commits, unticks the task in its file and reopens
 * it. What the task left for other projects and programs is taken back. The history stays. Nothing changes when one of the commits cannot be reverted.
 * `choose` sees the commits first, as a person may have committed during the session too, and returns those to revert; null: none.
 *
 * @throws RalphError `RALPH_UNDO_NOTHING` when the task has no commit, `RALPH_GIT_DIRTY`, `RALPH_GIT_REVERT_FAILED`,
 * `RALPH_RUN_ACTIVE`.
 */
export async function undoTask(
  setup: LoopSetup,
  taskId: string,
  choose: (commits: readonly NamedCommit[]) => Promise<readonly string[] | null>,
): Promise<Undone | null> {
  const loop = openLoop(setup);
  await acquireProject(loop);
  try {
    await recover(loop);
    await takeBaseline(loop.workspace, { mayBeDirty: [] }).catch(withoutFlagOfRun);
    const found = await commitsToRevert(loop, taskId);
    const commits = await choose(await namedCommits(loop.workspace, found, iterationTrailer));
    if (commits === null) return null;
    const now = commits.length > 0 ? await revert(loop, taskId, commits) : await head(loop.workspace);
    const undone = { reverted: commits, head: now ?? "" };
    await commit(loop, async (tx) => {
      const at = loop.clock.now();
      await resetMetrics(tx, taskId);
      await resetTask(tx, taskId, at, await lastAttempt(tx, taskId));
      await loop.memory.withdraw(tx, taskId, at);
      const hashes = commits.map((hash) => hash.slice(0, 9)).join(", ");
      await insertTaskLog(tx, taskId, columnText(`undone${hashes ? `: reverted ${hashes}` : ""}`), at);
      const data = { taskId, ...undone };
      await record(tx, { type: "task.undone", runId: loop.runId, data }, at);
    });
    // Other projects and programs read it outside the store.
    await loop.memory.finishCapture({ signal: loop.stop });
    return undone;
  } finally {
    await releaseProject(loop, "undo");
  }
}

type Reverter = Pick<Loop, "db" | "root" | "workspace">;

async function revert(loop: Reverter, taskId: string, commits: readonly string[]): Promise<string> {
  try {
    return await revertCommits(loop.workspace, commits, ticksOf(loop, await doneUpwards(loop, taskId)));
  } catch (error) {
    if (!(error instanceof RevertConflict)) throw error;
    const later = await tasksOfCommits(loop.db, error.commits);
    const others = later.filter((id) => id !== taskId);
    const [next] = others;
    if (next === undefined) throw error;
    const message = `${error.message}; ${others.join(", ")} changed the same lines`;
    throw new RalphError(error.code, message, { hint: `ralph undo ${next}, then ralph undo ${taskId}` });
  }
}

/** Returns the task, then its parents that are done and reopen with it. */
async function doneUpwards({ db }: Pick<Loop, "db">, taskId: string): Promise<readonly Task[]> {
  const tasks: Task[] = [];
  let task = await getTask(db, taskId);
  while (task?.status === "done") {
    tasks.push(task);
    task = task.parentId === null ? undefined : await getTask(db, task.parentId);
  }
  return tasks;
}

function ticksOf({ root }: Pick<Loop, "root">, tasks: readonly Task[]): TickEdits {
  return {
    tick: async (path, text) => {
      const listed = tasks.filter(({ source }) => source?.path === path);
      if (listed.length === 0) return undefined;
      let ticked = text;
      for (const task of listed) ticked = (await tickText(task, ticked)) ?? ticked;
      return ticked;
    },
    untick: async () => {
      const edited: string[] = [];
      for (const task of tasks) {
        const unticked = await untickSource(root, task);
        if (unticked?.changed) edited.push(unticked.path);
      }
      return edited;
    },
  };
}

/** @throws RalphError `RALPH_UNDO_NOTHING` when HEAD has not got the commit: a revert would be empty. */
async function requireOnBranch({ workspace }: Reverter, taskId: string, hash: string): Promise<void> {
  const elsewhere = await branchesElsewhere(workspace, hash);
  if (elsewhere === null) return;
  const branch = branchName((await readHead(workspace)).ref);
  const [other] = elsewhere;
  throw new RalphError(
    "RALPH_UNDO_NOTHING",
    `commit ${hash.slice(0, 9)} of task ${taskId} is not on ${branch}`,
    {
      hint:
        other === undefined
          ? `if it was rebased or amended, find it with \`git log --grep "Ralph-Task: ${taskId}"\` and revert it with git; then \`ralph task retry ${taskId}\``
          : `git switch ${other}, then ralph undo ${taskId}`,
    },
  );
}

async function commitsToRevert(loop: Reverter, taskId: string): Promise<readonly string[]> {
  const [last] = await finishedCommits(loop.db, taskId);
  const commits = last ? await commitsBetween(loop.workspace, last.base, last.hash) : [];
  if (last) await requireOnBranch(loop, taskId, last.hash);
  const undone =
    last && commits.length > 0 ? await revertedSince(loop.workspace, last.base, commits) : new Set<string>();
  const present = commits.filter((hash) => !undone.has(hash));
  const { status } = await requireTask(loop.db, taskId);
  // A person may have kept commits of the session.
  const isUndone = last !== undefined && status !== "done" && undone.has(last.hash);
  if (present.length > 0 && !isUndone) return present;
  // A kill came between git and the store: only the store is left to change.
  if (commits.length > 0 && status === "done") return [];
  const why =
    commits.length > 0 ? `task ${taskId} is undone already` : `no commit of task ${taskId} is known`;
  throw new RalphError("RALPH_UNDO_NOTHING", why, {
    hint:
      status === "pending"
        ? `the task is open: the next run works on it; ralph log ${taskId} shows what was done`
        : `ralph log ${taskId} shows what was done; ralph task retry ${taskId} reopens it`,
  });
}
