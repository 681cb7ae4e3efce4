import { newId } from "../../base/ids.ts";
import type { Reader, SqlValue, Tx } from "../../store/port/db.ts";
import { insertRow, readNumber } from "../../store/port/rows.ts";
import type { LearningRecord, RecordEntry } from "../port/record.ts";
import { type EntryRow, fromRow, type RecordRow, toEntry, toEntryRow, toRow } from "./record-rows.ts";

/** A record to insert: its id and file name are assigned. */
export type NewRecord = Omit<LearningRecord, "id" | "fileName">;

/** Maximum number of ids per query. */
const perBatch = 200;

/**
 * Inserts a record with its entries. `baseName` is its file name without `.yaml`; another
 * record's name gets a number (`…-2.yaml`).
 */
export async function insertRecord(tx: Tx, fields: NewRecord, baseName: string): Promise<LearningRecord> {
  const record = { ...fields, ...(await freeNames(tx, baseName)) };
  await insertRow(tx, "learning_records", toRow(record));
  await insertEntries(tx, record.id, record.entries, 1);
  return record;
}

/** Adds entries to an existing record. */
export async function appendEntries(
  tx: Tx,
  { id, entries: known }: Pick<LearningRecord, "id" | "entries">,
  entries: readonly RecordEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await insertEntries(tx, id, entries, known.length + 1);
}

/** Returns the ids of those records that are stored. */
export async function storedIds(q: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { sql, params } = q.dialect.inList("id", ids);
  const rows = await q.all<{ id: string }>(`SELECT id FROM learning_records WHERE ${sql}`, params);
  return new Set(rows.map(({ id }) => id));
}

/** Permanently deletes records with their entries. */
export async function eraseRecords(tx: Tx, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await tx.run("DELETE FROM learning_record_entries WHERE record_id = ?", [id]);
    await tx.run("DELETE FROM learning_records WHERE id = ?", [id]);
  }
}

/** Returns the ids of a run's records and of those with an entry of these learnings. */
export async function recordsOfPurge(
  q: Reader,
  runId: string | null,
  learnings: readonly string[],
): Promise<readonly string[]> {
  const ids = new Set<string>();
  if (runId !== null) {
    const rows = await q.all<{ id: string }>("SELECT id FROM learning_records WHERE run_id = ?", [runId]);
    for (const { id } of rows) ids.add(id);
  }
  for (let at = 0; at < learnings.length; at += perBatch) {
    const { sql, params } = q.dialect.inList("learning_id", learnings.slice(at, at + perBatch));
    const rows = await q.all<{ id: string }>(
      `SELECT DISTINCT record_id AS id FROM learning_record_entries WHERE ${sql}`,
      params,
    );
    for (const { id } of rows) ids.add(id);
  }
  return [...ids];
}

/** Deletes the entries of learnings that no longer exist. */
export async function eraseEntriesWithoutLearning(tx: Tx): Promise<void> {
  const gone = await tx.all<{ record_id: string; number: number }>(
    `SELECT record_id, number FROM learning_record_entries WHERE learning_id IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM learnings l WHERE l.id = learning_id)`,
  );
  for (const { record_id, number } of gone) {
    const key = { record_id, number: Number(number) };
    await tx.run(
      "DELETE FROM learning_record_entries WHERE record_id = ? AND number = ?",
      Object.values(key),
    );
  }
}

/** Returns the id and file name of every record of an own attempt, oldest first. */
export async function namesOfRecords(q: Reader): Promise<readonly Pick<LearningRecord, "id" | "fileName">[]> {
  return q.all(`SELECT id, file_name AS "fileName" FROM learning_records WHERE origin IS NULL
     ORDER BY recorded_at, id`);
}

export interface RecordFilter {
  readonly ids?: readonly string[];
  readonly task?: string;
  /** ISO 8601. */
  readonly recordedAt?: string;
  readonly runId?: string;
  readonly iterationId?: string;
  /** The newest ones. */
  readonly limit?: number;
}

/** Returns records with their entries, newest first. */
export async function listRecords(q: Reader, filter: RecordFilter = {}): Promise<readonly LearningRecord[]> {
  const { where, params } = conditions(q, filter);
  const limit = filter.limit === undefined ? "" : " LIMIT ?";
  const rows = await q.all<RecordRow>(
    `SELECT r.* FROM learning_records r${where} ORDER BY r.recorded_at DESC, r.id${limit}`,
    filter.limit === undefined ? params : [...params, filter.limit],
  );
  const entries = await entriesOf(
    q,
    rows.map(({ id }) => String(id)),
  );
  return rows.map((row) => fromRow(row, entries.get(String(row["id"])) ?? []));
}

export async function countRecords(q: Reader, filter: RecordFilter = {}): Promise<number> {
  const { where, params } = conditions(q, filter);
  return readNumber(q, `SELECT COUNT(*) AS n FROM learning_records r${where}`, params);
}

function conditions(
  q: Reader,
  filter: RecordFilter,
): { readonly where: string; readonly params: readonly SqlValue[] } {
  const parts: string[] = [];
  const params: SqlValue[] = [];
  if (filter.ids) {
    const { sql, params: ids } = q.dialect.inList("r.id", filter.ids);
    parts.push(sql);
    for (const one of ids) params.push(one);
  }
  const columns = [
    ["task_id", filter.task],
    ["recorded_at", filter.recordedAt],
    ["run_id", filter.runId],
    ["iteration_id", filter.iterationId],
  ] as const;
  for (const [column, value] of columns)
    if (value !== undefined) parts.push(`r.${column} = ?`) && params.push(value);
  return { where: parts.length > 0 ? ` WHERE ${parts.join(" AND ")}` : "", params };
}

async function entriesOf(
  q: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly RecordEntry[]>> {
  const byRecord = new Map<string, RecordEntry[]>();
  for (let at = 0; at < ids.length; at += perBatch) {
    const { sql, params } = q.dialect.inList("record_id", ids.slice(at, at + perBatch));
    const rows = await q.all<EntryRow>(
      `SELECT * FROM learning_record_entries WHERE ${sql} ORDER BY record_id, number`,
      params,
    );
    for (const row of rows) {
      const own = byRecord.get(row.record_id) ?? [];
      own.push(toEntry(row));
      byRecord.set(row.record_id, own);
    }
  }
  return byRecord;
}

async function insertEntries(
  tx: Tx,
  recordId: string,
  entries: readonly RecordEntry[],
  first: number,
): Promise<void> {
  for (const [at, entry] of entries.entries()) {
    await insertRow(tx, "learning_record_entries", toEntryRow(recordId, first + at, entry));
  }
}

/** Returns an unused id and file name. Ignores the case of names: some file systems do. */
async function freeNames(tx: Reader, baseName: string): Promise<Pick<LearningRecord, "id" | "fileName">> {
  for (let n = 1; ; n += 1) {
    const [id, fileName] = [newId("r", 2 + n), `${baseName}${n === 1 ? "" : `-${n}`}.yaml`];
    const taken = await tx.get("SELECT 1 FROM learning_records WHERE id = ? OR lower(file_name) = lower(?)", [
      id,
      fileName,
    ]);
    if (!taken) return { id, fileName };
  }
}
