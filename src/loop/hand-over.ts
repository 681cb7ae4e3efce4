import { record } from "../events/outbox-store.ts";
import { lastAttempt } from "../tasks/attempt-counts.ts";
import { waitsForChildren } from "../tasks/graph.ts";
import type { Task } from "../tasks/task.ts";
import { getTask } from "../tasks/task-store.ts";
import { slug } from "../trust/safe-name.ts";
import { protectedPaths, takeBaseline, workSince } from "../workspace/baseline.ts";
import { keepCopies } from "../workspace/keep-copies.ts";
import { dropSalvage, restoreSalvage, rollback, salvage } from "../workspace/salvage.ts";
import { head } from "../workspace/status.ts";
import { adoptMovedHead } from "./adopt-moved-head.ts";
import { type Loop, write } from "./loop.ts";
import {
  nobodys,
  readWorkspaceState,
  type WorkspaceState,
  writeWorkspaceState,
} from "./workspace-state-store.ts";

/**
 * Makes the tree the next task's own. What another task's failed attempt left is saved under a salvage ref and
 * removed; what this task left earlier is put back. A retry in a row finds its tree as it was. Returns the state that
 * the iteration begins with: what of it is not stored yet means nothing before there is an iteration.
 */
export async function handOver(loop: Loop, task: Task): Promise<WorkspaceState> {
  const found = await adoptMovedHead(loop, await readWorkspaceState(loop.db));
  if (found.taskId === task.id && found.baseline) {
    // A kill between taking the tree over and putting its work back.
    const waiting = found.salvages[task.id];
    return waiting ? putBack(loop, found, { taskId: task.id, ref: waiting }) : found;
  }
  const cleared = found.taskId === null ? found : await putAside(loop, found, found.taskId);
  const taken = await takeBaseline(loop.workspace, { allowDirty: true });
  const baseline = { ...taken, copies: await keepCopies(loop.workspace, protectedPaths(taken)) };
  const ref = cleared.salvages[task.id];
  const state = { ...cleared, taskId: task.id, baseline, leftover: null };
  return ref ? putBack(loop, state, { taskId: task.id, ref }) : state;
}

/**
 * Saves and removes what `taskId` left in the tree. The ref is made before anything is removed, and found again when a
 * kill came between that and the write of the state: so it is asked for even when nothing seems left.
 */
async function putAside(loop: Loop, state: WorkspaceState, taskId: string): Promise<WorkspaceState> {
  const nobody: WorkspaceState = { ...state, ...nobodys };
  const startHead = state.baseline?.head;
  if (!state.baseline || !startHead) return nobody;
  const { changedPaths } = await workSince(loop.workspace, { baseline: state.baseline, startHead });
  const attempt = await lastAttempt(loop.db, taskId);
  const ref = `refs/ralph/salvage/${slug(taskId)}-${attempt}`;
  const message = `ralph: unfinished work on ${taskId}, attempt ${attempt}`;
  const keep = protectedPaths(state.baseline);
  const { branch: startBranch } = state.baseline;
  await beginRemoval(loop, state);
  const saved = await salvage(loop.workspace, {
    ref,
    paths: changedPaths,
    startHead,
    message,
    keep,
    startBranch,
  });
  if (!saved) return nobody;
  // What a task was stuck with when it was split is kept, but must not come back over what its parts did.
  const comesBack = !(await waitsForChildren(loop.db, taskId));
  const next = comesBack ? { ...nobody, salvages: { ...nobody.salvages, [taskId]: saved.ref } } : nobody;
  await write(loop, async (tx) => {
    await writeWorkspaceState(tx, next);
    const data = { taskId, ref: saved.ref, files: changedPaths.length };
    await record(tx, { type: "salvage.saved", runId: loop.runId, data }, loop.clock.now());
  });
  return next;
}

/**
 * As a run ends: commits of a task that is given up would stay on the branch as if they were work that passed, so they
 * and what lies beside them are put aside. What it left uncommitted only stays for a person to mend.
 */
export async function putGivenUpAside(loop: Loop): Promise<void> {
  const state = await adoptMovedHead(loop, await readWorkspaceState(loop.db));
  const { taskId, baseline, leftAt } = state;
  if (taskId === null || !baseline || !leftAt || leftAt.head === baseline.head) return;
  const task = await getTask(loop.db, taskId);
  if (task?.status !== "blocked") return;
  const aside = await putAside(loop, state, taskId);
  await write(loop, (tx) => writeWorkspaceState(tx, aside));
}

/** From here on a kill leaves a tree and a HEAD that are ralph's doing: nothing in them is to be taken for a person's. */
async function beginRemoval(loop: Loop, state: WorkspaceState): Promise<void> {
  await write(loop, (tx) => writeWorkspaceState(tx, { ...state, leftover: null, leftAt: null }));
}

async function putBack(
  loop: Loop,
  state: WorkspaceState,
  { taskId, ref }: { readonly taskId: string; readonly ref: string },
): Promise<WorkspaceState> {
  // The tree is this task's before anything returns to it: a kill in between leaves work that has an owner.
  await write(loop, (tx) => writeWorkspaceState(tx, state));
  const { restored, conflicts } = await restoreSalvage(loop.workspace, ref);
  const { [taskId]: _, ...others } = state.salvages;
  const next = { ...state, salvages: others };
  await write(loop, async (tx) => {
    await writeWorkspaceState(tx, next);
    const data = { taskId, ref, conflicts };
    await record(tx, { type: "salvage.restored", runId: loop.runId, data }, loop.clock.now());
  });
  // On a conflict the ref stays: it is the only copy.
  if (restored) await dropSalvage(loop.workspace, ref);
  return next;
}

/** `onFailure: rollback`: removes what the failed attempt left; it stays reachable under a ref of its own. */
export async function rollBack(loop: Loop): Promise<void> {
  const state = await readWorkspaceState(loop.db);
  const { taskId, baseline } = state;
  if (taskId === null || !baseline?.head) return;
  const startHead = baseline.head;
  const { changedPaths } = await workSince(loop.workspace, { baseline, startHead });
  const keep = protectedPaths(baseline);
  const message = `ralph: rolled back attempt on ${taskId}`;
  const { branch: startBranch } = baseline;
  await beginRemoval(loop, state);
  const saved = await rollback(loop.workspace, {
    paths: changedPaths,
    startHead,
    keep,
    startBranch,
    message,
  });
  await write(loop, async (tx) => {
    await writeWorkspaceState(tx, { ...state, ...nobodys });
    if (!saved) return;
    const data = { taskId, ref: saved.ref, files: changedPaths.length };
    await record(tx, { type: "salvage.saved", runId: loop.runId, data }, loop.clock.now());
  });
}

/** After a failed attempt that took commits away, which may be another task's: they are back, the attempt is aside. */
export async function mendHistory(loop: Loop): Promise<void> {
  const { baseline } = await readWorkspaceState(loop.db);
  if (!baseline || baseline.head === (await head(loop.workspace))) return;
  const { dropped } = await workSince(loop.workspace, { baseline, startHead: baseline.head });
  if (dropped.length > 0) await rollBack(loop);
}
