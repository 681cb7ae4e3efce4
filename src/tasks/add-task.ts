import type { Tx } from "../store/db.ts";
import { addDependency } from "./graph.ts";
import type { NewTask, Task } from "./task.ts";
import { createTask } from "./task-store.ts";

/** A new task, and `after` the ids of those that must be done before it. */
export interface AddedTask {
  readonly task: NewTask;
  readonly after: readonly string[];
}

/** Adds a task with what it waits for. Throws as `createTask` and `addDependency` do; nothing is kept then. */
export async function addTask(tx: Tx, { task, after }: AddedTask, now: Date): Promise<Task> {
  const made = await createTask(tx, task, now);
  for (const blockerId of after) await addDependency(tx, { taskId: made.id, blockerId }, now);
  return made;
}
