import { RalphError } from "../../base/errors.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import {
  type Dependency,
  deleteDependency,
  insertDependency,
  readBlockers,
  readDependencies,
} from "./dependency-store.ts";
import { refuseCycle } from "./refuse-cycle.ts";
import { settleBlocks } from "./settle-blocks.ts";
import type { NewTask, Task } from "./task.ts";
import { createTask, deleteTask, listTasks, requireTask, writeTask } from "./task-store.ts";

/**
 * Makes a task wait for another; an existing dependency is not an error. Errors: RALPH_TASK_UNKNOWN, RALPH_TASK_CYCLE
 * with the path, in which a step from a parent to its child counts too. A failed blocker blocks the task at once.
 */
export async function addDependency(tx: Tx, edge: Dependency, now: Date): Promise<void> {
  await requireTask(tx, edge.taskId);
  const blocker = await requireTask(tx, edge.blockerId);
  await refuseCycle(tx, edge.taskId, edge.blockerId);
  const added = await insertDependency(tx, edge, now);
  if (added && (blocker.status === "failed" || blocker.status === "blocked")) await settleBlocks(tx, now);
}

/** Removes a dependency and reopens what only it blocked. Returns false if there was no such dependency. */
export async function removeDependency(tx: Tx, edge: Dependency, now: Date): Promise<boolean> {
  await requireTask(tx, edge.taskId);
  await requireTask(tx, edge.blockerId);
  const removed = await deleteDependency(tx, edge, now);
  if (removed) await settleBlocks(tx, now);
  return removed;
}

/** Returns the ids of the tasks that the task depends on, finished or not. */
export async function blockersOf(q: Reader, id: string): Promise<readonly string[]> {
  return readBlockers(q, id);
}

export async function allDependencies(q: Reader): Promise<readonly Dependency[]> {
  return readDependencies(q);
}

/** Returns true if the task has children that are not done. */
export async function waitsForChildren(q: Reader, id: string): Promise<boolean> {
  return (
    (await q.get("SELECT 1 FROM tasks WHERE parent_id = ? AND status <> 'done' LIMIT 1", [id])) !== undefined
  );
}

/** Returns true if the task may finish without its own changes: it allows that, or its children made the changes. */
export async function mayChangeNothing(q: Reader, task: Task): Promise<boolean> {
  if (task.allowNoChange) return true;
  return (
    (await q.get("SELECT 1 FROM tasks WHERE parent_id = ? AND status = 'done' LIMIT 1", [task.id])) !==
    undefined
  );
}

/** Returns a lookup of the ids that each task depends on, finished or not. */
export async function blockersByTask(q: Reader): Promise<(id: string) => readonly string[]> {
  const blockers = new Map<string, string[]>();
  for (const { taskId, blockerId } of await allDependencies(q)) {
    const known = blockers.get(taskId);
    if (known) known.push(blockerId);
    else blockers.set(taskId, [blockerId]);
  }
  return (id) => blockers.get(id) ?? [];
}

/** A new task; `after` holds the ids of the tasks that must be done before it. */
export interface AddedTask {
  readonly task: NewTask;
  readonly after: readonly string[];
}

/** Adds a task with its dependencies. Throws the errors of `createTask` and `addDependency`. */
export async function addTask(tx: Tx, { task, after }: AddedTask, now: Date): Promise<Task> {
  const added = await createTask(tx, task, now);
  for (const blockerId of after) await addDependency(tx, { taskId: added.id, blockerId }, now);
  return added;
}

/**
 * Deletes tasks and everything that refers to them. Dependents no longer wait for them; their other children move to the
 * nearest ancestor that stays. Does not update blocked tasks; `settleBlocks` does.
 */
export async function removeTasks(tx: Tx, ids: ReadonlySet<string>, now: Date): Promise<readonly Task[]> {
  if (ids.size === 0) return [];
  for (const edge of await readDependencies(tx))
    if (ids.has(edge.taskId) || ids.has(edge.blockerId)) await deleteDependency(tx, edge, now);
  const tasks = await listTasks(tx);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const parentOf = (task: Task): string | null => {
    let parent = task.parentId;
    while (parent !== null && ids.has(parent)) parent = byId.get(parent)?.parentId ?? null;
    return parent;
  };
  for (const task of tasks) {
    if (task.parentId === null || !ids.has(task.parentId)) continue;
    await writeTask(tx, { id: task.id, changes: { parentId: parentOf(task) }, type: "task.updated" }, now);
  }
  const removed = tasks.filter(({ id }) => ids.has(id));
  for (const task of removed) await deleteTask(tx, task, now);
  return removed;
}

/**
 * Deletes tasks that no run has worked on, all of them or none. Errors: RALPH_TASK_UNKNOWN, RALPH_TASK_BEGUN,
 * RALPH_TASK_HAS_CHILDREN for a task with other children.
 */
export async function removeUnbegun(tx: Tx, ids: readonly string[], now: Date): Promise<readonly Task[]> {
  for (const id of ids) {
    const { status } = await requireTask(tx, id);
    if (status !== "done" && status !== "in_progress" && (await begunAmong(tx, [id])).size === 0) continue;
    throw new RalphError("RALPH_TASK_BEGUN", `cannot remove ${id}: a run has worked on it or it is done`, {
      hint: status === "done" ? "keep it: it is part of the history" : `run \`ralph task skip ${id}\``,
    });
  }
  const going = new Set(ids);
  const child = (await listTasks(tx)).find(({ id, parentId }) => going.has(parentId ?? "") && !going.has(id));
  if (child) {
    throw new RalphError(
      "RALPH_TASK_HAS_CHILDREN",
      `cannot remove ${child.parentId}: ${child.id} is its child`,
      {
        hint: "remove its children too: name them in the same command",
      },
    );
  }
  const removed = await removeTasks(tx, going, now);
  await settleBlocks(tx, now);
  return removed;
}

/** Returns those of `ids` that a run has worked on, also without a verdict. */
export async function begunAmong(q: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { sql, params } = q.dialect.inList("id", ids);
  const rows = await q.all<{ id: string }>(
    `SELECT id FROM tasks t WHERE ${sql} AND (fence > 0 OR attempts_before > 0 OR claimed_by IS NOT NULL
       OR EXISTS (SELECT 1 FROM task_logs l WHERE l.task_id = t.id AND l.message LIKE 'claimed%'))`,
    params,
  );
  return new Set(rows.map(({ id }) => id));
}
