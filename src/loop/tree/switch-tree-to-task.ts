import { setImmediate } from "node:timers/promises";
import { record } from "../../events/outbox-store.ts";
import { lastAttempt } from "../../outcome/outcome-store.ts";
import type { Task } from "../../tasks/task.ts";
import { getTask } from "../../tasks/task-store.ts";
import { slug } from "../../trust/safe-name.ts";
import { protectedPaths, takeBaseline, workSince } from "../../workspace/baseline.ts";
import { holdFinished, keepCopies } from "../../workspace/protect-paths.ts";

import { dropSalvage, restoreSalvage } from "../../workspace/salvage.ts";
import { commit, type Loop } from "../loop.ts";
import {
  emptyTreeState,
  readWorkspaceState,
  type WorkspaceState,
  writeWorkspaceState,
} from "../workspace-state-store.ts";
import { adoptMovedHead } from "./adopt-moved-head.ts";
import { beginRollback, finishRollback, rollbackOf } from "./rollback.ts";
import { treeState, untouchedTree } from "./tree-state.ts";

/** A tree that was handed over, with what was made ready meanwhile. */
interface SwitchedTree<T> {
  /** The state that the iteration begins with: what of it is not stored yet means nothing before there is one. */
  readonly state: WorkspaceState;
  /** What the task's earlier attempts left in the tree, as `treeState` names it. */
  readonly tree: string;
  readonly ready: T;
}

/**
 * Makes the tree the next task's own. What another task's failed attempt left is saved under a salvage ref and
 * removed; what this task left earlier is put back. A retry in a row finds its tree as it was. `getReady` may read the
 * files: it is called once they stand as the task will find them, while git still looks at them where that is so. Its
 * state is the task's own where the task left work in the tree.
 */
export async function switchTreeToTask<T>(
  loop: Loop,
  task: Task,
  getReady: (state: WorkspaceState) => Promise<T>,
): Promise<SwitchedTree<T>> {
  const cleared = await clearTree(loop, task);
  const looked = isOwn(cleared, task) ? withTree(loop, cleared) : openTaskTree(loop, task, cleared);
  // After a kill, also where it came between taking the tree over and putting its work back.
  const waiting = cleared.salvages[task.id];
  if (waiting) {
    const state = await restoreWork(loop, (await looked).state, { taskId: task.id, ref: waiting });
    return { ...(await withTree(loop, state)), ready: await getReady(state) };
  }
  // By the next turn git runs, and this process would only wait for it.
  const [own, ready] = await Promise.allSettled([looked, setImmediate().then(() => getReady(cleared))]);
  if (own.status === "rejected") throw own.reason;
  if (ready.status === "rejected") throw ready.reason;
  return { ...own.value, ready: ready.value };
}

type OwnTree = Omit<SwitchedTree<unknown>, "ready">;

async function withTree(loop: Loop, state: WorkspaceState): Promise<OwnTree> {
  return { state, tree: state.baseline ? await treeState(loop, state.baseline) : untouchedTree };
}

function isOwn({ taskId, baseline }: WorkspaceState, task: Task): boolean {
  return taskId === task.id && baseline !== null;
}

async function clearTree(loop: Loop, task: Task): Promise<WorkspaceState> {
  const found = await adoptMovedHead(loop, await readWorkspaceState(loop.db));
  if (isOwn(found, task) || found.taskId === null) return found;
  return salvageWork(loop, found, found.taskId);
}

async function openTaskTree(loop: Loop, task: Task, cleared: WorkspaceState): Promise<OwnTree> {
  const taken = await takeBaseline(loop.workspace, { allowDirty: true });
  const held = await holdFinished(loop.workspace, taken, cleared.finished);
  const baseline = { ...held, copies: await keepCopies(loop.workspace, protectedPaths(held)) };
  const finished = held.finished?.paths ?? [];
  const state = { ...cleared, taskId: task.id, baseline, leftover: null, finished };
  return { state, tree: untouchedTree };
}

/**
 * Saves and removes what `taskId` left in the tree. The ref is made before anything is removed, and found again when a
 * kill came between that and the write of the state: so it is asked for even when nothing seems left.
 */
async function salvageWork(loop: Loop, state: WorkspaceState, taskId: string): Promise<WorkspaceState> {
  const startHead = state.baseline?.head;
  if (!state.baseline || !startHead) return { ...state, ...emptyTreeState };
  const work = await workSince(loop.workspace, { baseline: state.baseline, startHead });
  const ref = `refs/ralph/salvage/${slug(taskId)}-${await lastAttempt(loop.db, taskId)}`;
  await beginRollback(loop, state, rollbackOf(ref, work));
  return finishRollback(loop);
}

/**
 * As a run ends: commits of a task that is given up would stay on the branch as if they were work that passed, so they
 * and what lies beside them are put aside. What it left uncommitted only stays for a person to mend.
 */
export async function salvageAbandoned(loop: Loop): Promise<void> {
  const state = await adoptMovedHead(loop, await readWorkspaceState(loop.db));
  const { taskId, baseline, leftAt } = state;
  if (taskId === null || !baseline || !leftAt || leftAt.head === baseline.head) return;
  const task = await getTask(loop.db, taskId);
  if (task?.status !== "blocked") return;
  const aside = await salvageWork(loop, state, taskId);
  await commit(loop, (tx) => writeWorkspaceState(tx, aside));
}

async function restoreWork(
  loop: Loop,
  state: WorkspaceState,
  { taskId, ref }: { readonly taskId: string; readonly ref: string },
): Promise<WorkspaceState> {
  // The tree is this task's before anything returns to it: a kill in between leaves work that has an owner.
  await commit(loop, (tx) => writeWorkspaceState(tx, state));
  const { restored, conflicts } = await restoreSalvage(loop.workspace, ref);
  const { [taskId]: _, ...others } = state.salvages;
  const next = { ...state, salvages: others };
  await commit(loop, async (tx) => {
    await writeWorkspaceState(tx, next);
    const data = { taskId, ref, conflicts };
    await record(tx, { type: "salvage.restored", runId: loop.runId, data }, loop.clock.now());
  });
  // On a conflict the ref stays: it is the only copy.
  if (restored) await dropSalvage(loop.workspace, ref);
  return next;
}
