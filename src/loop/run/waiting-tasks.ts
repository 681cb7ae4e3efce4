import type { Reader } from "../../store/db.ts";
import { allDependencies } from "../../tasks/graph.ts";
import type { Task } from "../../tasks/task.ts";

/** A task that nothing is wrong with, but that waits for one that needs a person. */
export interface WaitingTask {
  readonly id: string;
  readonly title: string;
  /** The tasks that need a person which it waits for, itself or by way of others. */
  readonly waitsFor: readonly string[];
}

/** The pending tasks that cannot be worked on until a person has seen to those of `needs`, in the order of `tasks`. */
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
