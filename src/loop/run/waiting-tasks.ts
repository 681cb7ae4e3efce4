import { lastAttempt } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { blockingList, type Task } from "../../tasks/graph/task.ts";
import { allDependencies } from "../../tasks/graph/task-graph.ts";

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
  return { next, hint: `${next} shows ${shown}; ralph task reset ${id} reopens it` };
}
