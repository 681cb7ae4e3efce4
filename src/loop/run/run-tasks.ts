import type { TaskCounts } from "../../events/run-events.ts";
import { lastAttempt } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { blockingList, type Task } from "../../tasks/graph/task.ts";
import { allDependencies } from "../../tasks/graph/task-graph.ts";
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

/** A pending task that depends on a task that needs a user. */
export interface WaitingTask {
  readonly id: string;
  readonly title: string;
  /** The tasks that need a user and that it depends on, directly or indirectly. */
  readonly waitsFor: readonly string[];
}

/** Returns the pending tasks that depend on one of `needs`, in the order of `tasks`. */
export async function waitingTasks(
  q: Reader,
  tasks: readonly Task[],
  needs: readonly string[],
): Promise<readonly WaitingTask[]> {
  if (needs.length === 0) return [];
  const waits = new Map<string, string[]>();
  const add = (blocker: string, waiting: string): void => {
    waits.set(blocker, [...(waits.get(blocker) ?? []), waiting]);
  };
  for (const { taskId, blockerId } of await allDependencies(q)) add(blockerId, taskId);
  for (const { id, parentId } of tasks) if (parentId !== null) add(id, parentId);
  const causes = new Map<string, string[]>();
  for (const need of needs) {
    const reached = new Set([need]);
    for (const id of reached) for (const next of waits.get(id) ?? []) reached.add(next);
    for (const id of reached) causes.set(id, [...(causes.get(id) ?? []), need]);
  }
  return tasks.flatMap(({ id, title, status }) => {
    const waitsFor = causes.get(id);
    return status === "pending" && waitsFor ? [{ id, title, waitsFor }] : [];
  });
}

/** Returns the command that shows why a blocked or failed task needs a person, and a hint how to reopen it. */
export async function reopening(
  q: Reader,
  task: Task,
): Promise<{ readonly next: string; readonly hint: string }> {
  const { id } = task;
  const list = blockingList(task);
  const wasTried = (await lastAttempt(q, id)) > 0;
  const next = wasTried && list === null ? `ralph log ${id}` : `ralph task show ${id}`;
  if (list !== null)
    return { next, hint: `${list} blocks ${id}: change its entry there, then run \`ralph run\`` };
  const shown = wasTried ? "what was tried" : "why";
  return { next, hint: `${next} shows ${shown}; ralph task retry ${id} reopens it` };
}
