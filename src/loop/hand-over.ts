import { record } from "../events/outbox-store.ts";
import { lastAttempt } from "../tasks/attempt-counts.ts";
import type { Task } from "../tasks/task.ts";
import { getTask } from "../tasks/task-store.ts";
import { slug } from "../trust/safe-name.ts";
import { protectedPaths, takeBaseline, workSince } from "../workspace/baseline.ts";
import { holdFinished } from "../workspace/finished-files.ts";
import { keepCopies } from "../workspace/keep-copies.ts";
import { dropSalvage, restoreSalvage } from "../workspace/salvage.ts";
import { adoptMovedHead } from "./adopt-moved-head.ts";
import { type Loop, write } from "./loop.ts";
import { beginRemoval, finishRemoval, removalOf } from "./removal.ts";
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
  const held = await holdFinished(loop.workspace, taken, cleared.finished);
  const baseline = { ...held, copies: await keepCopies(loop.workspace, protectedPaths(held)) };
  const ref = cleared.salvages[task.id];
  const finished = held.finished?.paths ?? [];
  const state = { ...cleared, taskId: task.id, baseline, leftover: null, finished };
  return ref ? putBack(loop, state, { taskId: task.id, ref }) : state;
}

/**
 * Saves and removes what `taskId` left in the tree. The ref is made before anything is removed, and found again when a
 * kill came between that and the write of the state: so it is asked for even when nothing seems left.
 */
async function putAside(loop: Loop, state: WorkspaceState, taskId: string): Promise<WorkspaceState> {
  const startHead = state.baseline?.head;
  if (!state.baseline || !startHead) return { ...state, ...nobodys };
  const work = await workSince(loop.workspace, { baseline: state.baseline, startHead });
  const ref = `refs/ralph/salvage/${slug(taskId)}-${await lastAttempt(loop.db, taskId)}`;
  await beginRemoval(loop, state, removalOf(ref, work));
  return finishRemoval(loop);
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
