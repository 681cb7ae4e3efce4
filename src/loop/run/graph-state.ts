import type { TaskCounts } from "../../events/run-events.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { listTasks } from "../../tasks/graph/task-store.ts";
import type { GraphState } from "./stop-rules.ts";

/** Returns the tasks of a run: all, or the named ones with their descendants. */
export async function tasksOfRun(db: Reader, only: readonly string[] | null): Promise<readonly Task[]> {
  const tasks = await listTasks(db);
  if (!only) return tasks;
  const wanted = new Set(only);
  for (let before = -1; before < wanted.size; ) {
    before = wanted.size;
    for (const { id, parentId } of tasks) if (parentId !== null && wanted.has(parentId)) wanted.add(id);
  }
  return tasks.filter(({ id }) => wanted.has(id));
}

export function graphState(tasks: readonly Task[]): GraphState {
  const blocked = tasks.filter((task) => task.status === "blocked");
  const byFailure = blocked.filter((task) => task.blockCause === "dependency" || task.blockCause === "child");
  const needPerson = blocked.filter((task) => task.blockCause === "attempts" || task.blockCause === "needs");
  const waiting = tasks.filter((task) => task.status === "pending" || task.status === "in_progress");
  return {
    unfinished: tasks.filter((task) => task.status !== "done").length,
    failed: tasks.filter((task) => task.status === "failed").length,
    needPerson: needPerson.length,
    stuck: blocked.length - byFailure.length + waiting.length,
  };
}

export function countsOf(tasks: readonly Task[]): TaskCounts {
  const of = (...statuses: readonly string[]) =>
    tasks.filter((task) => statuses.includes(task.status)).length;
  return {
    done: of("done"),
    failed: of("failed"),
    blocked: of("blocked"),
    pending: of("pending", "in_progress"),
  };
}
