import type { EventType, TableWrite } from "../events/event.ts";
import { record } from "../events/outbox-store.ts";
import type { Reader, Row, Tx } from "../store/db.ts";
import { extractOutcomes, restoreOutcomes, statedColumns } from "./outcome-store.ts";

/** Archived rows of one table that belong to one task. */
interface ArchivedOfTask {
  readonly table: string;
  readonly taskId: string;
}

/** Stores rows that leave `table`, each with its `task_id` and, where it has one, `attempt_number`. */
export async function archiveRows(tx: Tx, table: string, rows: readonly Row[], now: Date): Promise<void> {
  const writes: TableWrite[] = [];
  for (const row of rows) {
    const attempt = Number(row["attempt_number"] ?? 0);
    const taskId = String(row["task_id"]);
    const archived = {
      source_table: table,
      source_key: JSON.stringify([taskId, attempt]),
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
  await recordWrites(tx, "memory.archived", writes, now);
}

/** Returns a task's archived rows of one table. */
export async function readArchived(q: Reader, { table, taskId }: ArchivedOfTask): Promise<readonly Row[]> {
  const rows = await q.all<{ readonly content: string }>(
    "SELECT content FROM memory_archive WHERE task_id = ? AND source_table = ? ORDER BY source_key",
    [taskId, table],
  );
  return rows.map(({ content }) => JSON.parse(content) as Row);
}

/** Removes a task's archived rows of one table and returns them. */
export async function extractArchived(tx: Tx, which: ArchivedOfTask, now: Date): Promise<readonly Row[]> {
  const rows = await readArchived(tx, which);
  const keys = await tx.all<Key>(
    "SELECT source_table, source_key FROM memory_archive WHERE task_id = ? AND source_table = ?",
    [which.taskId, which.table],
  );
  await removeKeys(tx, keys, now);
  return rows;
}

/** Returns the keys of a run's archived attempts, with their rows. */
async function archivedOfRun(q: Reader, runId: string): Promise<readonly ArchivedAttempt[]> {
  // Only narrows the search: text in the row can contain the same.
  const mayBe = `%${JSON.stringify(runId).replace(/[!%_]/g, "!$&")}%`;
  const rows = await q.all<ArchivedAttempt & { readonly content: string }>(
    `SELECT source_key AS "sourceKey", content FROM memory_archive
     WHERE source_table = ? AND content LIKE ? ESCAPE '!' ORDER BY source_key`,
    [outcomeTable, mayBe],
  );
  return rows
    .map(({ sourceKey, content }) => ({ sourceKey, row: JSON.parse(content) as Row }))
    .filter(({ row }) => row["run_id"] === runId);
}

interface ArchivedAttempt {
  /** Also that of the attempt's rows of other tables. */
  readonly sourceKey: string;
  readonly row: Row;
}

/** Returns the number of archived rows of a table that belong to a run's attempts. */
export async function countArchived(q: Reader, table: string, runId: string): Promise<number> {
  return (await archivedKeys(q, table, runId)).length;
}

/** Permanently deletes the archived rows of a table that belong to a run's attempts. Returns their number. */
export async function deleteArchived(tx: Tx, table: string, runId: string, now: Date): Promise<number> {
  const keys = await archivedKeys(tx, table, runId);
  await removeKeys(tx, keys, now);
  return keys.length;
}

async function archivedKeys(q: Reader, table: string, runId: string): Promise<readonly Key[]> {
  const attempts = (await archivedOfRun(q, runId)).map(({ sourceKey }) => sourceKey);
  const { sql, params } = q.dialect.inList("source_key", attempts);
  return q.all<Key>(`SELECT source_table, source_key FROM memory_archive WHERE source_table = ? AND ${sql}`, [
    table,
    ...params,
  ]);
}

/** Does what `eraseOutputs` does, with a run's archived attempts. */
export async function eraseArchived(tx: Tx, runId: string, now: Date): Promise<readonly string[]> {
  const writes: TableWrite[] = [];
  const attempts = await archivedOfRun(tx, runId);
  for (const { sourceKey, row } of attempts) {
    const emptied = { ...row, ...Object.fromEntries(statedColumns.map((name) => [name, null])) };
    const key = [outcomeTable, sourceKey];
    const content = JSON.stringify(emptied);
    await tx.run("UPDATE memory_archive SET content = ? WHERE source_table = ? AND source_key = ?", [
      ...[content, ...key],
    ]);
    const archived = await tx.get(
      "SELECT * FROM memory_archive WHERE source_table = ? AND source_key = ?",
      key,
    );
    if (archived) writes.push({ table: "memory_archive", op: "put", row: archived });
  }
  await recordWrites(tx, "memory.purged", writes, now);
  const failed = attempts.filter(({ row }) => row["outcome"] !== "done");
  return failed.map(({ row }) => String(row["reason"] ?? ""));
}

/** Deletes what was archived before this time (ISO 8601). Returns the number of rows. */
async function deleteArchivedBefore(tx: Tx, before: string, now: Date): Promise<number> {
  const keys = await tx.all<Key>(
    "SELECT source_table, source_key FROM memory_archive WHERE archived_at < ? ORDER BY source_table, source_key",
    [before],
  );
  await removeKeys(tx, keys, now);
  return keys.length;
}

interface Key {
  readonly source_table: string;
  readonly source_key: string;
}

async function removeKeys(tx: Tx, keys: readonly Key[], now: Date): Promise<void> {
  const writes: TableWrite[] = [];
  for (const { source_table, source_key } of keys) {
    await tx.run("DELETE FROM memory_archive WHERE source_table = ? AND source_key = ?", [
      source_table,
      source_key,
    ]);
    writes.push({ table: "memory_archive", op: "delete", row: { source_table, source_key } });
  }
  await recordWrites(tx, "memory.unarchived", writes, now);
}

/** Totals of a day's archived attempts, by model and difficulty. */
interface Rollup {
  readonly day: string;
  readonly model: string;
  readonly difficulty: string;
  /** `shown`, `held-out` or `none`. */
  readonly memory: string;
  readonly attempts: number;
  readonly done: number;
  readonly costUsd: number;
  readonly durationMs: number;
}

/** Adds `sign` times these totals to the rollups. */
async function addRollups(tx: Tx, all: readonly Rollup[], sign: 1 | -1, now: Date): Promise<void> {
  const writes: TableWrite[] = [];
  for (const { day, model, difficulty, memory, attempts, done, costUsd, durationMs } of all) {
    await tx.run(
      `INSERT INTO memory_rollups (day, model, difficulty, memory, attempts, done, cost_usd, duration_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, model, difficulty, memory) DO UPDATE SET
       attempts = memory_rollups.attempts + excluded.attempts, done = memory_rollups.done + excluded.done,
       cost_usd = memory_rollups.cost_usd + excluded.cost_usd,
       duration_ms = memory_rollups.duration_ms + excluded.duration_ms`,
      [day, model, difficulty, memory, sign * attempts, sign * done, sign * costUsd, sign * durationMs],
    );
    const row = await tx.get(
      "SELECT * FROM memory_rollups WHERE day = ? AND model = ? AND difficulty = ? AND memory = ?",
      [day, model, difficulty, memory],
    );
    if (row) writes.push({ table: "memory_rollups", op: "put", row });
  }
  await recordWrites(tx, "memory.rolledup", writes, now);
}

async function recordWrites(
  tx: Tx,
  type: Extract<EventType, `memory.${string}`>,
  rows: readonly TableWrite[],
  now: Date,
): Promise<void> {
  if (rows.length > 0) await record(tx, { type, data: { rows: rows.length }, rows }, now);
}

const outcomeTable = "iteration_outcomes";
const yearMs = 365 * 86_400_000;

/** How a task's attempts are labelled in the rollups. */
export interface RollupLabels {
  readonly difficulty: string;
  /** Returns `shown`, `held-out` or `none`: what an iteration's prompt contained of memory. */
  memoryOf(iterationId: string): Promise<string>;
}

/** Returns the finished tasks whose attempts all began more than `ageMs` ago; at most `limit`. */
export async function tasksToArchive(
  q: Reader,
  ageMs: number,
  now: Date,
  limit: number,
): Promise<readonly string[]> {
  const before = new Date(now.getTime() - ageMs).toISOString();
  const rows = await q.all<{ id: string }>(
    `SELECT t.id FROM tasks t WHERE t.status = 'done' AND t.updated_at < ?
       AND EXISTS (SELECT 1 FROM iteration_outcomes o WHERE o.task_id = t.id)
       AND NOT EXISTS (SELECT 1 FROM iteration_outcomes o WHERE o.task_id = t.id AND o.started_at >= ?)
     ORDER BY t.updated_at, t.id LIMIT ?`,
    [before, before, limit],
  );
  return rows.map(({ id }) => id);
}

/** Moves a task's outcomes to the archive and adds them to the rollups. What refers to them must be gone. */
export async function archiveOutcomes(
  tx: Tx,
  taskId: string,
  labels: RollupLabels,
  now: Date,
): Promise<void> {
  const outcomes = await extractOutcomes(tx, taskId, now);
  await archiveRows(tx, outcomeTable, outcomes, now);
  await addRollups(tx, await rollupsOf(outcomes, labels), 1, now);
}

/** Restores a task's outcomes and subtracts them from the rollups. Returns the number of rows. */
export async function restoreArchivedOutcomes(
  tx: Tx,
  taskId: string,
  labels: RollupLabels,
  now: Date,
): Promise<number> {
  const outcomes = await extractArchived(tx, { table: outcomeTable, taskId }, now);
  await restoreOutcomes(tx, outcomes, now);
  await addRollups(tx, await rollupsOf(outcomes, labels), -1, now);
  return outcomes.length;
}

/** Deletes what has been in the archive for more than a year; its rollups stay. Returns the number of rows. */
export async function clearArchive(tx: Tx, now: Date): Promise<number> {
  return deleteArchivedBefore(tx, new Date(now.getTime() - yearMs).toISOString(), now);
}

async function rollupsOf(
  outcomes: readonly Row[],
  { difficulty, memoryOf }: RollupLabels,
): Promise<readonly Rollup[]> {
  const rollups: Rollup[] = [];
  for (const row of outcomes) {
    rollups.push({
      day: String(row["started_at"]).slice(0, 10),
      model: String(row["model"]),
      difficulty,
      memory: await memoryOf(String(row["iteration_id"] ?? "")),
      attempts: 1,
      done: row["outcome"] === "done" ? 1 : 0,
      costUsd: Number(row["cost_usd"] ?? 0),
      durationMs: Number(row["duration_ms"] ?? 0),
    });
  }
  return rollups;
}
