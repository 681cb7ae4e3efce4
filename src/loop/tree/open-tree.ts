import { RalphError } from "../../base/errors.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import { countTasks, sourcePaths } from "../../tasks/graph/task-store.ts";
import { protectedPaths, takeBaseline } from "../../workspace/baseline.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { status } from "../../workspace/git/status.ts";
import { createBranch } from "../../workspace/open-workspace.ts";
import { protectPaths } from "../../workspace/protect-paths.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { pendingCommits } from "../rows/pending-commit-store.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";

/**
 * Inspects the working tree at the start of a run. A user's uncommitted edits to tracked files are refused without
 * `--allow-dirty`; those of a task list, and a task's leftovers, are not. Returns the other paths that a user changed since the last run.
 *
 * @throws RalphError `RALPH_GIT_DIRTY`
 */
export async function openTree(
  loop: Pick<Loop, "db" | "log" | "options" | "workspace">,
): Promise<readonly string[]> {
  const { allowDirty } = loop.options;
  const state = await readWorkspaceState(loop.db, loop.workspace);
  const lists = await sourcePaths(loop.db);
  if (state.kind === "free") {
    const all = allowDirty || !loop.options.commit.enabled;
    await takeBaseline(loop.workspace, { mayBeDirty: all ? "all" : lists });
    return [];
  }
  if (state.kind !== "left") return [];
  const known = new Set([...lists, ...state.leftover, ...protectedPaths(state.baseline)]);
  const found = await status(loop.workspace);
  const dirty = found.tracked.filter((path) => !known.has(path));
  if (dirty.length > 0 && !allowDirty) {
    throw new RalphError(
      "RALPH_GIT_DIRTY",
      `${dirty.slice(0, 5).join(", ")} ${dirty.length === 1 ? "has" : "have"} uncommitted changes that are not ralph's`,
      { hint: "commit or stash them, or run with --allow-dirty: ralph then leaves them alone" },
    );
  }
  const untracked = found.untracked.filter((path) => !known.has(path));
  if (dirty.length + untracked.length === 0) return [];
  const baseline = await protectPaths(loop.workspace, state.baseline, { dirty, untracked });
  await commit(loop, (tx) => writeWorkspaceState(tx, loop.workspace, { ...state, baseline }));
  return [...dirty, ...untracked];
}

/**
 * Creates the branch of `--branch` at HEAD and switches to it, unless HEAD is on it or there is nothing to do. A task's unfinished work moves along:
 * a later salvage removes it from the new branch.
 *
 * @throws RalphError `RALPH_GIT_BRANCH`
 */
export async function openBranch(loop: Pick<Loop, "db" | "log" | "options" | "workspace">): Promise<void> {
  const { branch } = loop.options;
  if (branch === null || !(await hasWork(loop))) return;
  const before = await readHead(loop.workspace);
  await createBranch(loop.workspace, branch);
  const now = await readHead(loop.workspace);
  const state = await readWorkspaceState(loop.db, loop.workspace);
  if (now.ref === before.ref || state.kind === "free") return;
  const moved = <T extends { readonly branch: string | null } | null>(place: T): T =>
    place?.branch === before.ref ? { ...place, branch: now.ref } : place;
  const atBranch = "leftAt" in state ? { ...state, leftAt: moved(state.leftAt) } : state;
  const next = { ...atBranch, baseline: moved(state.baseline) };
  await commit(loop, (tx) => writeWorkspaceState(tx, loop.workspace, next));
}

/** Of tasks in progress elsewhere, some may become ready here; a stored commit of an earlier run is yet to be made. */
async function hasWork({ db, options }: Pick<Loop, "db" | "options">): Promise<boolean> {
  if (await nextTask(db, options.only ?? undefined)) return true;
  return (await countTasks(db)).in_progress > 0 || (await pendingCommits(db)).length > 0;
}
