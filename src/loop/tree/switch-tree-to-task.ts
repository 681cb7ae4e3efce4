import { record } from "../../events/event-store.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { sourcePaths } from "../../tasks/graph/task-store.ts";
import { takeBaseline } from "../../workspace/baseline.ts";
import { resolveCommit } from "../../workspace/git/read-head.ts";
import { holdFinished, keepPersonsCopies, stillOverwritten } from "../../workspace/protect-paths.ts";
import { dropSalvage, isLanding, restoreSalvage } from "../../workspace/salvage.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { readSalvage, writeSalvage } from "../rows/salvage-store.ts";
import type { TaskTree } from "../rows/slot.ts";
import {
  hold,
  isOwnedBy,
  type OwnedState,
  setOverwritten,
  type WorkspaceState,
} from "../rows/workspace-state.ts";
import { writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { changesSince, noChanges } from "./describe-work.ts";
import { clearTree, type Switcher } from "./salvage-work.ts";

/**
 * Makes the tree the task's own. The changes of another task's failed attempt are saved under a salvage ref and removed;
 * the changes that this task left earlier return. An immediate retry finds its tree unchanged.
 */
export async function switchTreeToTask(loop: Switcher, task: Task): Promise<TaskTree> {
  const cleared = await clearTree(loop, { keep: task });
  const own = isOwnedBy(cleared, task.id) ? cleared : await openTaskTree(loop, task, cleared);
  // Also after a kill between taking the tree over and restoring the work.
  const ref = await salvageHere(loop, task.id);
  const conflicts = ref === null ? [] : await restoreWork(loop, own, ref);
  const conflict = ref === null || conflicts.length === 0 ? null : { ref, paths: conflicts };
  const untouched = ref === null && cleared.kind === "free";
  const changes = untouched ? noChanges : await changesSince(loop, own.baseline);
  return { state: own, changes, conflict };
}

/** Returns the ref of a task's saved work; null: none waits, or it is on another machine. */
async function salvageHere({ db, landing, workspace }: Switcher, taskId: string): Promise<string | null> {
  const ref = await readSalvage(db, taskId);
  const mayBeElsewhere = landing?.shared || db.dialect.place !== "";
  if (ref === null || !mayBeElsewhere || (await resolveCommit(workspace, ref)) !== null) return ref;
  return (await landing?.shared?.fetch(ref)) ? ref : null;
}

async function openTaskTree(
  { byproducts, db, workspace }: Pick<Loop, "byproducts" | "db" | "workspace">,
  task: Task,
  cleared: WorkspaceState,
): Promise<OwnedState> {
  const taken = await takeBaseline(workspace, { mayBeDirty: "all" });
  // Whoever edits a tracked list edits it for ralph: it is committed with the ticks.
  const tracked = new Set(taken.dirty.map(({ path }) => path));
  const lists = (await sourcePaths(db)).filter((path) => tracked.has(path));
  const changeable = [...new Set([...cleared.finished, ...byproducts.paths(), ...lists])];
  const held = await holdFinished(workspace, taken, changeable);
  const overwritten = await stillOverwritten(workspace, cleared.overwritten);
  const baseline = { ...held, copies: await keepPersonsCopies(workspace, held, overwritten) };
  const finished = held.finished?.paths ?? [];
  return hold(setOverwritten({ ...cleared, finished }, overwritten), task.id, { baseline, leftAt: null });
}

/** Returns the files in which the work conflicts with later commits: none of it returned then. */
async function restoreWork(loop: Switcher, state: OwnedState, ref: string): Promise<readonly string[]> {
  const { taskId } = state;
  // Stored before the work returns: a kill in between leaves work that has an owner.
  await commit(loop, (tx) => writeWorkspaceState(tx, loop.workspace, state));
  const { restored, conflicts } = await restoreSalvage(loop.workspace, ref);
  await commit(loop, async (tx) => {
    await writeSalvage(tx, taskId, null);
    const data = { taskId, ref, conflicts };
    if (!isLanding(ref))
      await record(tx, { type: "salvage.restored", runId: loop.runId, data }, loop.clock.now());
  });
  // On a conflict the ref stays: it is the only copy.
  if (restored) {
    await dropSalvage(loop.workspace, ref);
    if (!isLanding(ref)) await loop.landing?.shared?.drop(ref);
  }
  return conflicts;
}
