import type { Reader } from "../store/port/db.ts";
import type { TaskLine } from "./graph/task.ts";
import { blockersByTask } from "./graph/task-graph.ts";
import { listTaskLines, requireTask, type TaskFilter } from "./graph/task-store.ts";

/** A task with the fields that lists show. */
export interface ListedTask {
  readonly task: TaskLine;
  readonly blockedBy: readonly string[];
  /** The ids of `blockedBy` that are not done. */
  readonly waitsFor: readonly string[];
  readonly attempts: number;
}

/** The number of recorded attempts of each task, by id. */
export type AttemptCounts = ReadonlyMap<string, number>;

/** Returns the tasks that match `filter`, in the order in which they run. Throws RALPH_TASK_UNKNOWN for an unknown parent. */
export async function listedTasks(
  q: Reader,
  filter: TaskFilter,
  attempts: AttemptCounts,
): Promise<readonly ListedTask[]> {
  if (filter.parentId !== undefined && filter.parentId !== null) await requireTask(q, filter.parentId);
  const tasks = await listTaskLines(q, filter);
  const all = Object.keys(filter).length === 0 ? tasks : await listTaskLines(q);
  const done = new Set(all.filter(({ status }) => status === "done").map(({ id }) => id));
  const blockersOf = await blockersByTask(q);
  return tasks.map((task) => {
    const blockedBy = blockersOf(task.id);
    const waitsFor = blockedBy.filter((id) => !done.has(id));
    return { task, blockedBy, waitsFor, attempts: attempts.get(task.id) ?? 0 };
  });
}

/** Returns the first tasks that only a person can reopen. */
export async function needingPerson(
  q: Reader,
  max: number,
): Promise<readonly { readonly id: string; readonly title: string; readonly reason: string }[]> {
  const blocked = await listTaskLines(q, { status: "blocked" });
  const own = blocked.filter(({ blockCause }) => blockCause === "attempts" || blockCause === "needs");
  const all = [...own, ...(await listTaskLines(q, { status: "failed" }))];
  return all.slice(0, max).map(({ id, title, statusReason }) => ({ id, title, reason: statusReason ?? "" }));
}

/** Returns the fields of a listed task in JSON output (IF-3). */
export function listedJson({ task, blockedBy, attempts }: ListedTask): ListedJson {
  const { id, title, status, priority, parentId } = task;
  return { id, title, status, priority, parentId, blockedBy, attempts };
}

type ListedJson = Pick<TaskLine, "id" | "title" | "status" | "priority" | "parentId"> &
  Pick<ListedTask, "blockedBy" | "attempts">;

/** The texts of a task; the description is truncated. */
export interface TaskText {
  readonly id: string;
  readonly title: string;
  readonly tags: string;
  readonly description: string;
}

const descriptionChars = 500;
const idsPerQuery = 500;

/** Returns the texts of the existing tasks of `ids`, tags as JSON. SQL truncates the descriptions, which can be long. */
export async function taskTexts(q: Reader, ids: readonly string[]): Promise<readonly TaskText[]> {
  const texts: TaskText[] = [];
  for (let at = 0; at < ids.length; at += idsPerQuery) {
    const part = ids.slice(at, at + idsPerQuery);
    const found = await q.all<TaskText>(
      `SELECT id, title, tags, substr(description, 1, ${descriptionChars}) AS description FROM tasks
       WHERE id IN (${part.map(() => "?").join(", ")})`,
      part,
    );
    for (const one of found) texts.push(one);
  }
  return texts;
}
