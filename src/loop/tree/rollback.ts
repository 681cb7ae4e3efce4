import { record } from "../../events/outbox-store.ts";
import { lastAttempt } from "../../outcome/outcome-store.ts";
import { waitsForChildren } from "../../tasks/graph.ts";
import { type Baseline, protectedPaths, type WorkSince } from "../../workspace/baseline.ts";
import { isRollback, salvage, type TaskWork } from "../../workspace/salvage.ts";
import { position } from "../../workspace/status.ts";
import { commit, type Loop } from "../loop.ts";
import {
  emptyTreeState,
  type Rollback,
  readWorkspaceState,
  type WorkspaceState,
  writeWorkspaceState,
} from "../workspace-state-store.ts";

export function rollbackOf(ref: string, work: WorkSince): Rollback {
  const { changedPaths, committedPaths, head, branch } = work;
  return { ref, paths: changedPaths, committed: committedPaths, at: { head, branch } };
}

/** Writes down what is to be removed: from here on a kill leaves a removal that the next start finishes. */
export async function beginRollback(
  loop: Loop,
  state: WorkspaceState,
  removal: Rollback,
): Promise<WorkspaceState> {
  const next = { ...state, leftover: null, leftAt: null, removal };
  await commit(loop, (tx) => writeWorkspaceState(tx, next));
  return next;
}

/**
 * Saves the work that a removal names under its ref and takes it out of the tree, the index and the branch; again
 * after a kill, as often as needed. Only the paths that it names go: what a person did since is theirs. Work that was
 * put aside comes back when its task does.
 */
export async function finishRollback(loop: Loop): Promise<WorkspaceState> {
  const state = await readWorkspaceState(loop.db);
  const { taskId, baseline, removal } = state;
  const nobody: WorkspaceState = { ...state, ...emptyTreeState };
  if (!removal || taskId === null || !baseline?.head) return state;
  const what = isRollback(removal.ref) ? "rolled back attempt" : "unfinished work";
  const saved = await salvage(loop.workspace, {
    ref: removal.ref,
    ...(await pathsToRemove(loop, removal, { ...baseline, head: baseline.head })),
    message: `ralph: ${what} on ${taskId}, attempt ${await lastAttempt(loop.db, taskId)}`,
  });
  // What a task was stuck with when it was split is kept, but must not come back over what its parts did.
  const comesBack = saved && !isRollback(saved.ref) && !(await waitsForChildren(loop.db, taskId));
  const next = comesBack ? { ...nobody, salvages: { ...nobody.salvages, [taskId]: saved.ref } } : nobody;
  await commit(loop, async (tx) => {
    await writeWorkspaceState(tx, next);
    if (!saved) return;
    const data = { taskId, ref: saved.ref, files: removal.paths.length };
    await record(tx, { type: "salvage.saved", runId: loop.runId, data }, loop.clock.now());
  });
  return next;
}

/**
 * The task's paths, and where it began. Once a person moved HEAD between a kill and now, it begins where they moved it
 * to, and what the agent committed stays below.
 */
async function pathsToRemove(
  loop: Loop,
  { paths, committed, at }: Rollback,
  baseline: Baseline & { readonly head: string },
): Promise<TaskWork> {
  const { head, branch, finished } = baseline;
  const { hash, ref } = await position(loop.workspace);
  const isKnown = [at, baseline].some((one) => one.head === hash && one.branch === ref);
  if (isKnown || hash === null) {
    const theTasks = new Set(finished?.paths);
    return {
      paths: [...new Set([...paths, ...committed])],
      keep: protectedPaths(baseline).filter((path) => !theTasks.has(path)),
      startHead: head,
      startBranch: branch,
      ...(finished ? { startFiles: finished.commit } : {}),
    };
  }
  const below = new Set(committed);
  const loose = paths.filter((path) => !below.has(path));
  return { paths: loose, keep: protectedPaths(baseline), startHead: hash, startBranch: ref };
}
