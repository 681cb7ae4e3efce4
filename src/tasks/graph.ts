import type { Reader, Tx } from "../store/db.ts";
import {
  type Dependency,
  deleteDependency,
  insertDependency,
  readBlockers,
  readDependencies,
} from "./graph/dependency-store.ts";
import { refuseCycle } from "./graph/refuse-cycle.ts";
import { settleBlocks } from "./graph/settle-blocks.ts";
import type { NewTask, Task } from "./task.ts";
import { createTask, requireTask } from "./task-store.ts";

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
