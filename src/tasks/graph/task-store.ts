import { RalphError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { type JsonObject, parseStrings } from "../../base/json.ts";
import { nearest } from "../../base/nearest.ts";
import { clip } from "../../base/text.ts";
import type { EventInput, EventType } from "../../events/event.ts";
import { record } from "../../events/event-store.ts";
import type { Reader, Row, Tx } from "../../store/port/db.ts";
import { columnText } from "../../trust/safe-text.ts";
import { refuseCycle } from "./refuse-cycle.ts";
import type { NewTask, Task, TaskLine, TaskStatus } from "./task.ts";
import { columnsOf, newTaskColumns, type TaskChanges } from "./task-fields.ts";
import { deleteTaskLog, insertTaskLog } from "./task-log-store.ts";
import { type TaskRow, taskOf } from "./task-row.ts";

export interface TaskFilter {
  readonly status?: TaskStatus;
  readonly parentId?: string;
  readonly tag?: string;
  /** At most so many, before those without the tag are left out. */
  readonly limit?: number;
}

/** The order in which ready tasks run, and in which tasks are listed. A position below 0 is that of a task put first. */
const runOrder = "CASE WHEN position < 0 THEN position ELSE 0 END, priority, created_at, position, id";

/**
 * Stores a task with its defaults (pending, medium priority) and event. Without an id, generates `t-` and six hex
 * digits. Errors: RALPH_TASK_BAD_ID, RALPH_TASK_DUPLICATE, RALPH_TASK_BAD_TITLE, RALPH_TASK_TOO_LARGE,
 * RALPH_TASK_BAD_NUMBER, RALPH_TASK_UNKNOWN (the parent).
 */
export async function createTask(tx: Tx, task: NewTask, now: Date): Promise<Task> {
  const id = task.id === undefined ? await generateId(tx) : await checkNewId(tx, task.id);
  const columns = newTaskColumns({ ...task, id });
  if (task.parentId) await requireTask(tx, task.parentId);
  await insertTasks(tx, [columns], now);
  return requireTask(tx, id);
}

/** The number of tasks whose rows and events are in memory at a time. */
const batchSize = 256;
/** A row has some 25 parameters: fewer statements, without long lists to bind. */
const rowsPerStatement = 8;

/** Stores rows of `newTaskColumns` with their events. Ids must be unused; parents must be stored or come earlier. */
export async function insertTasks(tx: Tx, tasks: readonly Row[], now: Date): Promise<void> {
  for (let from = 0; from < tasks.length; from += batchSize)
    await insertBatch(tx, tasks.slice(from, from + batchSize), now);
}

async function insertBatch(tx: Tx, tasks: readonly Row[], now: Date): Promise<void> {
  const at = now.toISOString();
  const last = await tx.get<{ position: number | null }>("SELECT MAX(position) AS position FROM tasks");
  const first = Number(last?.position ?? 0) + 1;
  const rows = tasks.map((task, index) => ({
    ...task,
    created_at: at,
    updated_at: at,
    position: first + index,
  }));
  await insertRows(tx, rows);
  // All other columns have the same values in every row. Reading each row again would take longer than writing it.
  const stored = await tx.get("SELECT * FROM tasks WHERE position = ?", [first]);
  const rest = Object.fromEntries(
    Object.entries(stored ?? {}).filter(([name]) => !(name in (rows[0] ?? {}))),
  );
  await record(tx, createdEvent(rows.map((row) => Object.assign(row, rest))), now);
}

/** Inserts rows with the same columns. */
async function insertRows(tx: Tx, rows: readonly Row[]): Promise<void> {
  const names = Object.keys(rows[0] ?? {});
  const row = `(${names.map(() => "?").join(", ")})`;
  for (let from = 0; from < rows.length; from += rowsPerStatement) {
    const some = rows.slice(from, from + rowsPerStatement);
    const insert = `INSERT INTO tasks (${names.join(", ")}) VALUES ${some.map(() => row).join(", ")}`;
    await tx.run(insert, some.flatMap(Object.values));
  }
}

export async function getTask(q: Reader, id: string): Promise<Task | undefined> {
  const row = await q.get<TaskRow>("SELECT * FROM tasks WHERE id = ?", [id]);
  return row && taskOf(row);
}

/** Returns the task with this id. Throws RALPH_TASK_UNKNOWN, which suggests the nearest id. */
export async function requireTask(q: Reader, id: string): Promise<Task> {
  const task = await getTask(q, id);
  if (task) return task;
  const known = await q.all<{ id: string }>(`SELECT id FROM tasks ORDER BY ${runOrder}`);
  const meant = nearest(
    id,
    known.map((row) => row.id),
  );
  throw new RalphError("RALPH_TASK_UNKNOWN", `unknown task ${clip(id, 120)}`, {
    hint: meant ? `did you mean ${meant}?` : "run `ralph task list` to see all tasks",
  });
}

/** Returns the matching tasks in the order in which they run: priority, creation, id. */
export async function listTasks(q: Reader, filter: TaskFilter = {}): Promise<readonly Task[]> {
  return (await listRows<TaskRow>(q, "*", filter)).map(taskOf);
}

/** Returns the same tasks in the same order, with the fields that lists show. */
export async function listTaskLines(q: Reader, filter: TaskFilter = {}): Promise<readonly TaskLine[]> {
  const columns = `id, parent_id AS "parentId", title, status, status_reason AS "statusReason",
    block_cause AS "blockCause", priority, tags`;
  return listRows<TaskLine & { readonly tags: string }>(q, columns, filter);
}

async function listRows<R extends { readonly tags: string }>(
  q: Reader,
  columns: string,
  { status, parentId, tag, limit = 1e9 }: TaskFilter,
): Promise<readonly R[]> {
  const wanted = [
    ["status = ?", status],
    ["parent_id = ?", parentId],
  ].filter((condition): condition is [string, string] => condition[1] !== undefined);
  const where = wanted.length > 0 ? `WHERE ${wanted.map(([sql]) => sql).join(" AND ")}` : "";
  const params = wanted.map(([, value]) => value);
  const sql = `SELECT ${columns} FROM tasks ${where} ORDER BY ${runOrder} LIMIT ?`;
  const rows = await q.all<R>(sql, [...params, limit]);
  return tag === undefined ? rows : rows.filter((row) => parseStrings(row.tags).includes(tag));
}

/**
 * Changes fields that a person or a source file may change. A status set here does not affect other tasks; the functions
 * of `task-transitions.ts` do. Errors: those of `createTask`, and RALPH_TASK_CYCLE when the new parent waits for the task.
 */
export async function updateTask(tx: Tx, id: string, changes: TaskChanges, now: Date): Promise<Task> {
  await requireTask(tx, id);
  if (changes.parentId) {
    await requireTask(tx, changes.parentId);
    await refuseCycle(tx, changes.parentId, id);
  }
  return writeTask(tx, { id, changes, type: "task.updated" }, now);
}

/** Returns the titles of tasks, by id. */
export async function titlesOf(q: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)];
  const rows = await q.all<{ id: string; title: string }>(
    `SELECT id, title FROM tasks WHERE id IN (${wanted.map(() => "?").join(", ")})`,
    wanted,
  );
  return new Map(rows.map(({ id, title }) => [id, title]));
}

/** Returns the status of every task, by id. */
export async function readStatuses(q: Reader): Promise<ReadonlyMap<string, TaskStatus>> {
  const rows = await q.all<{ id: string; status: TaskStatus }>("SELECT id, status FROM tasks");
  return new Map(rows.map(({ id, status }) => [id, status]));
}

/** Counts the tasks that no list named when they were created, from one moment to another, ISO 8601. */
export async function countAddedTasks(q: Reader, from: string, until = "9999"): Promise<number> {
  const row = await q.get<{ n: number }>(
    "SELECT COUNT(*) AS n FROM tasks WHERE source_path IS NULL AND created_at BETWEEN ? AND ?",
    [from, until],
  );
  return Number(row?.n ?? 0);
}

export async function countTasks(q: Reader): Promise<Record<TaskStatus, number>> {
  const counts: Record<TaskStatus, number> = { pending: 0, in_progress: 0, done: 0, blocked: 0, failed: 0 };
  const rows = await q.all<{ status: TaskStatus; n: number }>(
    "SELECT status, COUNT(*) AS n FROM tasks GROUP BY status",
  );
  for (const { status, n } of rows) counts[status] = Number(n);
  return counts;
}

interface TaskEvent {
  readonly id: string;
  readonly type: EventType;
  readonly runId?: string | null;
  readonly data?: JsonObject;
}

/** Writes `changes` to an existing task with an event. A status change also releases the task. */
export async function writeTask(
  tx: Tx,
  write: TaskEvent & { readonly changes: TaskChanges },
  now: Date,
): Promise<Task> {
  const columns: Row = { ...columnsOf(write.changes), updated_at: now.toISOString() };
  const released = write.changes.status === undefined ? "" : ", claimed_by = NULL";
  const assignments = Object.keys(columns).map((name) => `${name} = ?`);
  const row = await tx.get(`UPDATE tasks SET ${assignments.join(", ")}${released} WHERE id = ? RETURNING *`, [
    ...Object.values(columns),
    write.id,
  ]);
  if (!row) throw new Error(`task ${write.id} disappeared while it was written`);
  await record(tx, taskEvent(row, write), now);
  return taskOf(row as unknown as TaskRow);
}

/** Sets a pending task `in_progress` and returns its next fencing token; undefined if it is not pending. */
export async function claimRow(
  tx: Tx,
  take: TaskEvent & { readonly runId: string },
  now: Date,
): Promise<number | undefined> {
  const taken = await tx.get<{ fence: number }>(
    `UPDATE tasks SET status = 'in_progress', fence = fence + 1, claimed_by = ?, updated_at = ?
     WHERE id = ? AND status = 'pending' RETURNING fence`,
    [take.runId, now.toISOString(), take.id],
  );
  if (!taken) return undefined;
  await insertTaskLog(tx, take.id, columnText(`claimed by run ${take.runId}`), now);
  return Number(taken.fence);
}

/** Makes the tokens of all claims so far stale. */
export async function raiseFence(tx: Tx, id: string): Promise<void> {
  await tx.run("UPDATE tasks SET fence = fence + 1 WHERE id = ?", [id]);
}

function taskEvent(row: Row, { type, runId, data }: Omit<TaskEvent, "id">): EventInput {
  const { id, title, status } = row as unknown as TaskRow;
  return {
    type,
    runId: runId ?? null,
    data: { taskId: id, title, status, ...data },
  };
}

/** One event for all rows: an event for each would take longer to record than the rows. */
function createdEvent(created: readonly Row[]): EventInput {
  const [first] = created;
  if (first && created.length === 1) return taskEvent(first, { type: "task.created" });
  return { type: "tasks.created", data: { tasks: created.map(({ id }) => String(id)) } };
}

async function generateId(tx: Tx): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    // Six digits are enough until a graph of millions makes collisions likely.
    const id = newId("t", attempt < 8 ? 3 : 6);
    if (!(await getTask(tx, id))) return id;
  }
}

async function checkNewId(tx: Tx, id: string): Promise<string> {
  const holder = await getTask(tx, id);
  if (!holder) return id;
  throw new RalphError(
    "RALPH_TASK_DUPLICATE",
    `task ${id} already exists: ${JSON.stringify(clip(holder.title, 80))}`,
    {
      hint: `change it with \`ralph task edit ${id}\`, or choose another id`,
    },
  );
}

/** Returns the files that tasks were imported from, relative to the project root. */
export async function sourcePaths(db: Reader): Promise<readonly string[]> {
  // One look-up in the index for each path: DISTINCT would read the entry of every task.
  const rows = await db.all<{ path: string }>(
    `WITH RECURSIVE paths(path) AS (
       SELECT MIN(source_path) FROM tasks
       UNION ALL
       SELECT (SELECT MIN(source_path) FROM tasks WHERE source_path > path) FROM paths WHERE path IS NOT NULL)
     SELECT path FROM paths WHERE path IS NOT NULL`,
  );
  return rows.map(({ path }) => path);
}

/** Deletes a task with its log. Nothing may refer to it: use `removeTasks`. */
export async function deleteTask(tx: Tx, { id, title, status }: Task, now: Date): Promise<void> {
  await deleteTaskLog(tx, id);
  await tx.run("DELETE FROM tasks WHERE id = ?", [id]);
  await record(tx, { type: "task.removed", data: { taskId: id, title, status } }, now);
}

/** The place of a task in the running order, below its priority. */
export interface TaskPlace {
  readonly id: string;
  readonly createdAt: string;
  readonly position: number;
}

/** Writes places, with one event for each batch of tasks. */
export async function moveTasks(tx: Tx, places: readonly TaskPlace[], now: Date): Promise<void> {
  for (let from = 0; from < places.length; from += batchSize) {
    const batch = places.slice(from, from + batchSize);
    for (const { id, createdAt, position } of batch)
      await tx.run("UPDATE tasks SET created_at = ?, position = ? WHERE id = ?", [createdAt, position, id]);
    await record(tx, { type: "task.moved", data: { tasks: batch.map(({ id }) => id) } }, now);
  }
}

/** Returns a position before that of every task. Below 0, it also precedes the priority: see `runOrder`. */
export async function firstPosition(q: Reader): Promise<number> {
  const row = await q.get<{ first: number | null }>("SELECT MIN(position) AS first FROM tasks");
  return Math.min(0, Number(row?.first ?? 0)) - 1;
}
