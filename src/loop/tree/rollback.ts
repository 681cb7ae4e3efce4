import { record } from "../../events/event-store.ts";
import { lastAttempt } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { waitsForChildren } from "../../tasks/graph/task-graph.ts";
import { getTask, sourcePaths } from "../../tasks/graph/task-store.ts";
import { type Baseline, protectedPaths, type WorkSince } from "../../workspace/baseline.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { isLanding, isRollback, salvage, type TaskWork } from "../../workspace/salvage.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { writeSalvage } from "../rows/salvage-store.ts";
import { free, type Rollback, type WorkspaceState } from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { withoutLeftOut } from "./left-out.ts";

/** A person may have edited them while the agent worked; more are only counted. */
const maxNamed = 5;

/** Returns the removal of the work since commit `since`. What no commit holds stays in the tree (LOOP-25). */
export async function rollbackOf(
  { workspace }: Pick<Loop, "workspace">,
  ref: string,
  { work, since }: { readonly work: WorkSince; readonly since: string },
): Promise<Rollback> {
  const { changedPaths, committedPaths, head, branch } = (await withoutLeftOut(workspace, work, since)).work;
  return { ref, paths: changedPaths, committed: committedPaths, at: { head, branch } };
}

/**
 * Completes a stored removal: saves the work under its ref and removes it from the tree, the index and the branch. Safe
 * to repeat after a kill. Only the listed paths are removed: later changes are a user's. Salvaged work returns with its
 * task.
 */
export async function finishRollback(
  loop: Pick<Loop, "clock" | "db" | "landing" | "log" | "runId" | "workspace">,
): Promise<WorkspaceState> {
  const state = await readWorkspaceState(loop.db, loop.workspace);
  if (state.kind !== "removing") return state;
  const { taskId, baseline, removal } = state;
  const { head } = baseline;
  if (head === null) return state;
  const kind = isRollback(removal.ref) ? "rolled back attempt" : "unfinished work";
  const found = await pathsToRemove(loop, removal, { ...baseline, head });
  // A list may hold a person's edits, and ralph's ticks.
  const work = { ...found, keep: [...(found.keep ?? []), ...(await sourcePaths(loop.db))] };
  const kept = new Set(work.keep);
  const gone = work.paths.filter((path) => !kept.has(path));
  const saved = await salvage(loop.workspace, {
    ref: removal.ref,
    ...work,
    message: `ralph: ${kind} on ${taskId}, attempt ${await lastAttempt(loop.db, taskId)}`,
  });
  // The work of a task that was split is kept, but must not return over the work of its parts.
  const returns = saved && !isRollback(saved.ref) && !(await waitsForChildren(loop.db, taskId));
  const next = free(state);
  await commit(loop, async (tx) => {
    await writeWorkspaceState(tx, loop.workspace, next);
    if (returns) await writeSalvage(tx, taskId, saved.ref);
    if (!saved || isLanding(saved.ref)) return;
    const paths = gone.slice(0, maxNamed);
    const isolated = loop.landing === null ? {} : { isolated: true };
    const data = { taskId, ref: saved.ref, files: gone.length, paths, ...isolated };
    await record(tx, { type: "salvage.saved", runId: loop.runId, data }, loop.clock.now());
  });
  if (returns && loop.landing?.shared && !isLanding(saved.ref) && !(await isDone(loop.db, taskId)))
    await loop.landing.shared.push(saved.ref);
  return next;
}

/** A task that another machine has done in the meantime needs no copy. */
async function isDone(q: Reader, taskId: string): Promise<boolean> {
  return (await getTask(q, taskId))?.status === "done";
}

/**
 * Returns the task's paths and where its work began. When a user moved HEAD between a kill and now, the work begins at
 * the new position, and the agent's commits stay below it.
 */
async function pathsToRemove(
  loop: Pick<Loop, "workspace">,
  { paths, committed, at }: Rollback,
  baseline: Baseline & { readonly head: string },
): Promise<TaskWork> {
  const { head, branch, finished } = baseline;
  const { hash, ref } = await readHead(loop.workspace);
  const isKnown = [at, baseline].some((one) => one.head === hash && one.branch === ref);
  if (isKnown || hash === null) {
    const changeable = new Set(finished?.paths);
    return {
      paths: [...new Set([...paths, ...committed])],
      keep: protectedPaths(baseline).filter((path) => !changeable.has(path)),
      startHead: head,
      startBranch: branch,
      ...(finished ? { startFiles: finished.commit } : {}),
    };
  }
  const below = new Set(committed);
  const loose = paths.filter((path) => !below.has(path));
  return { paths: loose, keep: protectedPaths(baseline), startHead: hash, startBranch: ref };
}
