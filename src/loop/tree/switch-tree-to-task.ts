import { record } from "../../events/event-store.ts";
import { lastAttempt } from "../../outcome/outcome-store.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { slug } from "../../trust/safe-name.ts";
import { takeBaseline, workSince } from "../../workspace/baseline.ts";
import { holdFinished, keepPersonsCopies, stillOverwritten } from "../../workspace/protect-paths.ts";
import { dropSalvage, restoreSalvage } from "../../workspace/salvage.ts";
import { commit, type Loop } from "../rows/loop.ts";
import type { TaskTree } from "../rows/slot.ts";
import {
  free,
  hold,
  isOwnedBy,
  type OwnedState,
  remove,
  setOverwritten,
  setSalvage,
  type WorkspaceState,
} from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { adoptMovedHead } from "./adopt-moved-head.ts";
import { changesSince, noChanges } from "./describe-work.ts";
import { withMovedFiles, withOverwritten } from "./leftovers.ts";
import { finishRollback, rollbackOf } from "./rollback.ts";

type Switcher = Pick<Loop, "clock" | "db" | "log" | "runId" | "workspace">;

/**
 * Makes the tree the task's own. The changes of another task's failed attempt are saved under a salvage ref and removed;
 * the changes that this task left earlier return. An immediate retry finds its tree unchanged.
 */
export async function switchTreeToTask(loop: Switcher & Pick<Loop, "made">, task: Task): Promise<TaskTree> {
  const cleared = await clearTree(loop, task);
  const own = isOwnedBy(cleared, task.id) ? cleared : await openTaskTree(loop, task, cleared);
  // Also after a kill between taking the tree over and restoring the work.
  const ref = own.salvages[task.id];
  const state = ref === undefined ? own : await restoreWork(loop, own, ref);
  const untouched = ref === undefined && cleared.kind === "free";
  return { state, changes: untouched ? noChanges : await changesSince(loop, state.baseline) };
}

/** Saves the changes of any task's unfinished attempt under a salvage ref and removes them; its retry restores them. */
export async function clearTree(loop: Switcher, keep: Task | null = null): Promise<WorkspaceState> {
  const found = await adoptMovedHead(loop, await readWorkspaceState(loop.db));
  if (found.kind === "removing") return finishRollback(loop);
  return found.kind === "free" || found.taskId === keep?.id ? found : salvageWork(loop, found);
}

async function openTaskTree(
  { made, workspace }: Pick<Loop, "made" | "workspace">,
  task: Task,
  cleared: WorkspaceState,
): Promise<OwnedState> {
  const taken = await takeBaseline(workspace, { allowDirty: true });
  const changeable = [...new Set([...cleared.finished, ...made.paths()])];
  const held = await holdFinished(workspace, taken, changeable);
  const overwritten = await stillOverwritten(workspace, cleared.overwritten ?? []);
  const baseline = { ...held, copies: await keepPersonsCopies(workspace, held, overwritten) };
  const finished = held.finished?.paths ?? [];
  return hold(setOverwritten({ ...cleared, finished }, overwritten), task.id, { baseline, leftAt: null });
}

/**
 * Saves the owning task's changes and removes them. The ref is created before anything is removed, and found again when a
 * kill came between its creation and the write of the state: so this runs even when no change seems left.
 */
async function salvageWork(loop: Switcher, found: OwnedState): Promise<WorkspaceState> {
  const state = await withOverwritten(loop, found);
  const { taskId, baseline } = state;
  const startHead = baseline.head;
  if (startHead === null) return free(state);
  const work = await workSince(loop.workspace, { baseline, startHead });
  const ref = `refs/ralph/salvage/${slug(taskId)}-${await lastAttempt(loop.db, taskId)}`;
  const kept = await withMovedFiles(loop, baseline, work);
  // Stored first: after a kill the next start completes the removal.
  await commit(loop, (tx) => writeWorkspaceState(tx, remove(state, rollbackOf(ref, work), kept)));
  return finishRollback(loop);
}

/**
 * Salvages the work of a blocked task as the run ends, when it includes commits: on the branch they would look like work
 * that passed. Uncommitted changes alone stay in the tree for a user to fix.
 */
export async function salvageAbandoned(loop: Switcher): Promise<void> {
  const state = await adoptMovedHead(loop, await readWorkspaceState(loop.db));
  const leftAt = state.kind === "left" || state.kind === "held" ? state.leftAt : null;
  if (state.kind === "free" || !leftAt || leftAt.head === state.baseline.head) return;
  const task = await getTask(loop.db, state.taskId);
  if (task?.status !== "blocked") return;
  const salvaged = await salvageWork(loop, state);
  await commit(loop, (tx) => writeWorkspaceState(tx, salvaged));
}

async function restoreWork(loop: Switcher, state: OwnedState, ref: string): Promise<OwnedState> {
  const { taskId } = state;
  // Stored before the work returns: a kill in between leaves work that has an owner.
  await commit(loop, (tx) => writeWorkspaceState(tx, state));
  const { restored, conflicts } = await restoreSalvage(loop.workspace, ref);
  const next = setSalvage(state, taskId, null);
  await commit(loop, async (tx) => {
    await writeWorkspaceState(tx, next);
    const data = { taskId, ref, conflicts };
    await record(tx, { type: "salvage.restored", runId: loop.runId, data }, loop.clock.now());
  });
  // On a conflict the ref stays: it is the only copy.
  if (restored) await dropSalvage(loop.workspace, ref);
  return next;
}
