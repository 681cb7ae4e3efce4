import type { TableWrite } from "../../events/event.ts";
import { record } from "../../events/outbox-store.ts";
import type { Reader, Row, Tx } from "../../store/db.ts";

/** A row that leaves its table for the archive. */
export interface Archived {
  readonly table: string;
  /** The key's values, as one text. */
  readonly key: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly row: Row;
}

/** Puts rows into the archive. */
export async function insertArchived(tx: Tx, all: readonly Archived[], now: Date): Promise<void> {
  const writes: TableWrite[] = [];
  for (const { table, key, taskId, attempt, row } of all) {
    const archived = {
      source_table: table,
      source_key: key,
      task_id: taskId,
      attempt_number: attempt,
      archived_at: now.toISOString(),
      content: JSON.stringify(row),
    };
    await tx.run(
      `INSERT INTO memory_archive (source_table, source_key, task_id, attempt_number, archived_at, content)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (source_table, source_key) DO UPDATE SET
       archived_at = excluded.archived_at, content = excluded.content`,
      Object.values(archived),
    );
    writes.push({ table: "memory_archive", op: "put", row: archived });
  }
  await tell(tx, "memory.archived", writes, now);
}

/** The archived rows of a task, or all from before a time. */
export async function readArchived(
  q: Reader,
  which: { readonly taskId: string } | { readonly before: string },
): Promise<readonly Archived[]> {
  const [where, value] =
    "taskId" in which ? ["task_id = ?", which.taskId] : ["archived_at < ?", which.before];
  const rows = await q.all<Omit<Archived, "row"> & { readonly content: string }>(
    `SELECT source_table AS "table", source_key AS "key", task_id AS "taskId", attempt_number AS "attempt", content
     FROM memory_archive WHERE ${where} ORDER BY source_table, source_key`,
    [value],
  );
  return rows.map(({ content, ...rest }) => ({ ...rest, row: JSON.parse(content) as Row }));
}

/** Takes rows out of the archive: they are back in their table, or too old. */
export async function removeArchived(
  tx: Tx,
  all: readonly Pick<Archived, "table" | "key">[],
  now: Date,
): Promise<void> {
  const writes: TableWrite[] = [];
  for (const { table, key } of all) {
    await tx.run("DELETE FROM memory_archive WHERE source_table = ? AND source_key = ?", [table, key]);
    writes.push({ table: "memory_archive", op: "delete", row: { source_table: table, source_key: key } });
  }
  await tell(tx, "memory.unarchived", writes, now);
}

/** What a day's attempts came to, by model and difficulty; `memory`: `shown`, `held-out` or `none`. */
export interface Rollup {
  readonly day: string;
  readonly model: string;
  readonly difficulty: string;
  readonly memory: string;
  readonly attempts: number;
  readonly done: number;
  readonly costUsd: number;
  readonly durationMs: number;
}

/** Adds to what is rolled up; with `times` -1 takes away again. */
export async function addRollups(tx: Tx, all: readonly Rollup[], times: 1 | -1, now: Date): Promise<void> {
  const writes: TableWrite[] = [];
  for (const { day, model, difficulty, memory, attempts, done, costUsd, durationMs } of all) {
    await tx.run(
      `INSERT INTO memory_rollups (day, model, difficulty, memory, attempts, done, cost_usd, duration_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, model, difficulty, memory) DO UPDATE SET
       attempts = memory_rollups.attempts + excluded.attempts, done = memory_rollups.done + excluded.done,
       cost_usd = memory_rollups.cost_usd + excluded.cost_usd,
       duration_ms = memory_rollups.duration_ms + excluded.duration_ms`,
      [day, model, difficulty, memory, times * attempts, times * done, times * costUsd, times * durationMs],
    );
    const row = await tx.get(
      "SELECT * FROM memory_rollups WHERE day = ? AND model = ? AND difficulty = ? AND memory = ?",
      [day, model, difficulty, memory],
    );
    if (row) writes.push({ table: "memory_rollups", op: "put", row });
  }
  await tell(tx, "memory.rolledup", writes, now);
}

async function tell(tx: Tx, type: `memory.${string}`, rows: readonly TableWrite[], now: Date): Promise<void> {
  if (rows.length > 0) await record(tx, { type, data: { rows: rows.length }, rows }, now);
}
