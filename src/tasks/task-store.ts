import { RalphError } from "../base/errors.ts";
import { newId } from "../base/ids.ts";
import { type JsonObject, parseStrings } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { clip } from "../base/text.ts";
import type { EventInput, EventType, TableWrite } from "../events/event.ts";
import { record, recordAll } from "../events/outbox-store.ts";
import type { Reader, Row, Tx } from "../store/db.ts";
import { refuseCycle } from "./graph/refuse-cycle.ts";
import { type TaskRow, taskOf } from "./store/task-row.ts";
import type { NewTask, Task, TaskLine, TaskStatus } from "./task.ts";
import { columnsOf, type TaskChanges } from "./task-fields.ts";
import { insertTaskLog } from "./task-log-store.ts";

export interface TaskFilter {
  readonly status?: TaskStatus;
  readonly parentId?: string;
  readonly tag?: string;
}

/** The order in which ready tasks run, and in which tasks are listed. */
const runOrder = "priority, created_at, position, id";

/**
 * Stores a task with its defaults (pending, medium priority) and event. A given id is kept as it is, else `t-` and six
 * hex digits are drawn. Errors: RALPH_TASK_BAD_ID, RALPH_TASK_DUPLICATE, RALPH_TASK_BAD_TITLE, RALPH_TASK_TOO_LARGE,
 * RALPH_TASK_UNKNOWN (the parent).
 */
export async function createTask(tx: Tx, task: NewTask, now: Date): Promise<Task> {
  const id = task.id === undefined ? await drawId(tx) : await checkNewId(tx, task.id);
  const columns = newTaskColumns({ ...task, id });
  if (task.parentId) await requireTask(tx, task.parentId);
  await insertTasks(tx, [columns], now);
  return requireTask(tx, id);
}

/**
 * Returns the columns of a new task, its text cleaned. Errors: RALPH_TASK_BAD_ID, RALPH_TASK_BAD_TITLE,
 * RALPH_TASK_TOO_LARGE, RALPH_TASK_BAD_NUMBER.
 */
export function newTaskColumns(task: NewTask & { readonly id: string }): Row {
  if (!/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/.test(task.id)) {
    throw new RalphError(
      "RALPH_TASK_BAD_ID",
      `${JSON.stringify(clip(task.id, 120))} cannot be a task's id.`,
      {
        hint: "letters, digits and . _ : - (not first), at most 100 characters",
      },
    );
  }
  return { id: task.id, ...defaults, ...columnsOf(task) };
}

/** Every column that a task may state, so that the rows of one import have the same. */
const defaults = columnsOf({
  parentId: null,
  description: "",
  status: "pending",
  statusReason: null,
  blockCause: null,
  priority: 2,
  tags: [],
  files: [],
  acceptance: [],
  verification: [],
  allowNoChange: false,
  parallelGroup: null,
  commitTemplate: null,
  source: null,
});

/** Tasks whose rows and events are held in memory at one time. */
const batch = 256;

/** Stores tasks of `newTaskColumns`, whose ids are free and whose parents are stored or come earlier, with their events. */
export async function insertTasks(tx: Tx, tasks: readonly Row[], now: Date): Promise<void> {
  for (let from = 0; from < tasks.length; from += batch)
    await insertBatch(tx, tasks.slice(from, from + batch), now);
}

async function insertBatch(tx: Tx, tasks: readonly Row[], now: Date): Promise<void> {
  const at = now.toISOString();
  const last = await tx.get<{ position: number | null }>("SELECT MAX(position) AS position FROM tasks");
  const first = Number(last?.position ?? 0) + 1;
  const rows = tasks.map((task, index) => {
    return { ...task, created_at: at, updated_at: at, position: first + index };
  });
  const names = Object.keys(rows[0] ?? {});
  const insert = `INSERT INTO tasks (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
  for (const row of rows) await tx.run(insert, Object.values(row));
  // What else a new row holds is the same in all: to read each again takes longer than to write it.
  const stored = await tx.get("SELECT * FROM tasks WHERE position = ?", [first]);
  const events = rows.map((row) => taskEvent({ ...stored, ...row }, { type: "task.created" }));
  await recordAll(tx, events, now);
}

export async function getTask(q: Reader, id: string): Promise<Task | undefined> {
  const row = await q.get<TaskRow>("SELECT * FROM tasks WHERE id = ?", [id]);
  return row && taskOf(row);
}

/** The task with this id; RALPH_TASK_UNKNOWN, with the nearest id there is, when there is none. */
export async function requireTask(q: Reader, id: string): Promise<Task> {
  const task = await getTask(q, id);
  if (task) return task;
  const known = await q.all<{ id: string }>(`SELECT id FROM tasks ORDER BY ${runOrder}`);
  const meant = nearest(
    id,
    known.map((row) => row.id),
  );
  throw new RalphError("RALPH_TASK_UNKNOWN", `There is no task ${clip(id, 120)}.`, {
    hint: meant ? `did you mean ${meant}?` : "`ralph task list` shows them all",
  });
}

/** In the order of running: priority, creation, id. */
export async function listTasks(q: Reader, filter: TaskFilter = {}): Promise<readonly Task[]> {
  return (await listRows<TaskRow>(q, "*", filter)).map(taskOf);
}

/** The same tasks in the same order, as far as lists show them. */
export async function listTaskLines(q: Reader, filter: TaskFilter = {}): Promise<readonly TaskLine[]> {
  const columns = `id, parent_id AS "parentId", title, status, status_reason AS "statusReason",
    block_cause AS "blockCause", priority, tags`;
  return listRows<TaskLine & { readonly tags: string }>(q, columns, filter);
}

async function listRows<R extends { readonly tags: string }>(
  q: Reader,
  columns: string,
  { status, parentId, tag }: TaskFilter,
): Promise<readonly R[]> {
  const wanted = [
    ["status = ?", status],
    ["parent_id = ?", parentId],
  ].filter((condition): condition is [string, string] => condition[1] !== undefined);
  const where = wanted.length > 0 ? `WHERE ${wanted.map(([sql]) => sql).join(" AND ")}` : "";
  const params = wanted.map(([, value]) => value);
  const rows = await q.all<R>(`SELECT ${columns} FROM tasks ${where} ORDER BY ${runOrder}`, params);
  return tag === undefined ? rows : rows.filter((row) => parseStrings(row.tags).includes(tag));
}

/**
 * Changes what a person or a source file may change. A status set here pulls nothing along: `finish-task.ts` does.
 * Errors as `createTask`, and RALPH_TASK_CYCLE when the new parent waits for the task.
 */
export async function updateTask(tx: Tx, id: string, changes: TaskChanges, now: Date): Promise<Task> {
  await requireTask(tx, id);
  if (changes.parentId) {
    await requireTask(tx, changes.parentId);
    await refuseCycle(tx, changes.parentId, id);
  }
  return writeTask(tx, { id, changes, type: "task.updated" }, now);
}

/** The status of every task, by id. */
export async function readStatuses(q: Reader): Promise<ReadonlyMap<string, TaskStatus>> {
  const rows = await q.all<{ id: string; status: TaskStatus }>("SELECT id, status FROM tasks");
  return new Map(rows.map(({ id, status }) => [id, status]));
}

export async function countTasksSince(q: Reader, at: string): Promise<number> {
  const row = await q.get<{ n: number }>("SELECT COUNT(*) AS n FROM tasks WHERE created_at >= ?", [at]);
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
  /** Rows of other tables that this event wrote. */
  readonly rows?: readonly TableWrite[];
}

/** Writes `changes` to a task that exists, under the event that says why. A task that is written is held by nobody. */
export async function writeTask(
  tx: Tx,
  write: TaskEvent & { readonly changes: TaskChanges },
  now: Date,
): Promise<Task> {
  const columns: Row = { ...columnsOf(write.changes), updated_at: now.toISOString() };
  const released = write.changes.status === undefined ? "" : ", claimed_by = NULL";
  const assignments = Object.keys(columns).map((name) => `${name} = ?`);
  await tx.run(`UPDATE tasks SET ${assignments.join(", ")}${released} WHERE id = ?`, [
    ...Object.values(columns),
    write.id,
  ]);
  return recordTask(tx, write, now);
}

/** Makes a pending task `in_progress` under the next fencing token; undefined when it is not pending (any more). */
export async function claimRow(
  tx: Tx,
  take: TaskEvent & { readonly runId: string },
  now: Date,
): Promise<number | undefined> {
  const taken = await tx.run(
    `UPDATE tasks SET status = 'in_progress', fence = fence + 1, claimed_by = ?, updated_at = ?
     WHERE id = ? AND status = 'pending'`,
    [take.runId, now.toISOString(), take.id],
  );
  if (taken === 0) return undefined;
  const row = await tx.get<{ fence: number }>("SELECT fence FROM tasks WHERE id = ?", [take.id]);
  const log = await insertTaskLog(tx, take.id, `claimed by run ${take.runId}`, now);
  await recordTask(tx, { ...take, rows: [log] }, now);
  return row && Number(row.fence);
}

async function recordTask(tx: Tx, event: TaskEvent, now: Date): Promise<Task> {
  const row = await tx.get("SELECT * FROM tasks WHERE id = ?", [event.id]);
  if (!row) throw new Error(`task ${event.id} vanished while it was written`);
  await record(tx, taskEvent(row, event), now);
  return taskOf(row as unknown as TaskRow);
}

function taskEvent(row: Row, { type, runId, data, rows }: Omit<TaskEvent, "id">): EventInput {
  const { id, title, status } = row as unknown as TaskRow;
  return {
    type,
    runId: runId ?? null,
    data: { taskId: id, title, status, ...data },
    rows: [{ table: "tasks", op: "put", row }, ...(rows ?? [])],
  };
}

async function drawId(tx: Tx): Promise<string> {
  for (let draw = 0; ; draw++) {
    // Six digits while they are free; longer ones when a graph of millions makes that unlikely.
    const id = newId("t", draw < 8 ? 3 : 6);
    if (!(await getTask(tx, id))) return id;
  }
}

async function checkNewId(tx: Tx, id: string): Promise<string> {
  const holder = await getTask(tx, id);
  if (!holder) return id;
  throw new RalphError(
    "RALPH_TASK_DUPLICATE",
    `There is already a task ${id}: ${JSON.stringify(clip(holder.title, 80))}.`,
    {
      hint: `change it with \`ralph task edit ${id}\`, or choose another id`,
    },
  );
}

/** The files that tasks were imported from, relative to the project root. */
export async function sourcePaths(db: Reader): Promise<readonly string[]> {
  const rows = await db.all<{ path: string }>(
    "SELECT DISTINCT source_path AS path FROM tasks WHERE source_path IS NOT NULL",
  );
  return rows.map(({ path }) => path);
}

/** What a task is about, cut short. */
export interface TaskText {
  readonly id: string;
  readonly title: string;
  readonly tags: string;
  readonly description: string;
}

const descriptionChars = 500;
const idsPerQuery = 500;

/** The texts of those of `ids` that there are, tags as their JSON; cut in the store, for a description may be long. */
export async function taskTexts(q: Reader, ids: readonly string[]): Promise<readonly TaskText[]> {
  const texts: TaskText[] = [];
  for (let at = 0; at < ids.length; at += idsPerQuery) {
    const part = ids.slice(at, at + idsPerQuery);
    const found = await q.all<TaskText>(
      `SELECT id, title, tags, substr(description, 1, ${descriptionChars}) AS description FROM tasks
       WHERE id IN (${part.map(() => "?").join(", ")})`,
      part,
    );
    texts.push(...found);
  }
  return texts;
}
