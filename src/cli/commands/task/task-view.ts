import { type Attempt, attemptsOf } from "../../../outcome/outcome-store.ts";
import type { Reader } from "../../../store/port/db.ts";
import type { Task } from "../../../tasks/graph/task.ts";
import { blockersByTask } from "../../../tasks/graph/task-graph.ts";
import { readTaskLog, type TaskLogLine } from "../../../tasks/graph/task-log-store.ts";
import { listTasks, requireTask } from "../../../tasks/graph/task-store.ts";

/** A task with its relatives, attempts and history. */
export interface TaskView {
  readonly task: Task;
  readonly parent: Task | undefined;
  readonly blockers: readonly Task[];
  readonly dependents: readonly Task[];
  readonly children: readonly Task[];
  readonly attempts: readonly Attempt[];
  readonly history: readonly TaskLogLine[];
}

export async function readTaskView(q: Reader, id: string): Promise<TaskView> {
  const task = await requireTask(q, id);
  const tasks = await listTasks(q);
  const blockersOf = await blockersByTask(q);
  const blockers = new Set(blockersOf(id));
  return {
    task,
    parent: tasks.find((other) => other.id === task.parentId),
    blockers: tasks.filter((other) => blockers.has(other.id)),
    dependents: tasks.filter((other) => blockersOf(other.id).includes(id)),
    children: tasks.filter((other) => other.parentId === id),
    attempts: await attemptsOf(q, id),
    history: await readTaskLog(q, id),
  };
}
