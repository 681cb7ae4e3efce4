import { RalphError } from "../../base/errors.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { listTasks } from "../../tasks/graph/task-store.ts";
import type { Approvals } from "../../trust/approvals.ts";
import { keyOf } from "./dropped-items.ts";
import { commandItem, type ExecutedItem } from "./executed-items.ts";

const taskPlace = "verification of ";

/** Returns true for an item that a task names, and not the project's files. */
export function isOfTask({ place }: Pick<ExecutedItem, "place">): boolean {
  return place.startsWith(taskPlace);
}

/** Lists the commands of the unfinished tasks' own verification, each once. */
export async function taskItems(q: Reader): Promise<readonly ExecutedItem[]> {
  const commands = new Map<string, ExecutedItem>();
  for (const task of await listTasks(q)) {
    if (task.status === "done") continue;
    for (const item of itemsOf(task)) if (!commands.has(item.sha256)) commands.set(item.sha256, item);
  }
  return [...commands.values()];
}

/** Returns true when a run would refuse a command of this task's own verification because no person approved it. */
export function needsApproval(task: Task, approvals: Approvals): boolean {
  if (task.status === "done") return false;
  try {
    return itemsOf(task).some(({ kind, sha256 }) => !approvals.isApproved(kind, sha256));
  } catch (error) {
    // `ralph trust approve` says what is wrong with the approvals.
    if (error instanceof RalphError) return true;
    throw error;
  }
}

/** Returns the ids of the tasks for which `needsApproval` is true, reading the approvals once. */
export function unapprovedTasks(tasks: readonly Task[], approvals: Approvals): readonly string[] {
  const own = tasks.filter(({ verification }) => verification.length > 0);
  if (own.length === 0) return [];
  const list = readOnce(approvals);
  return own.filter((task) => needsApproval(task, list)).map(({ id }) => id);
}

function readOnce(approvals: Approvals): Approvals {
  let known: ReadonlySet<string> | undefined;
  const isApproved: Approvals["isApproved"] = (kind, sha256) => {
    known ??= new Set(approvals.list().map(keyOf));
    return known.has(keyOf({ kind, sha256 }));
  };
  return { ...approvals, isApproved };
}

function itemsOf({ id, verification }: Task): readonly ExecutedItem[] {
  return verification.map(({ run }) => commandItem(`${taskPlace}${id}`, { run }));
}
