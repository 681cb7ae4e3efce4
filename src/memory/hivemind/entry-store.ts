import { isObject, parseJson } from "../../base/json.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import type { SharedMemory } from "./shared-memory.ts";

/**
 * `pending`: to be stored in the hivemind; `sent`: stored there; `leaving`: to be deleted there; `local`: kept out of it
 * by a person.
 */
export type EntryState = "pending" | "sent" | "leaving" | "local";

/** A record that the project stored in the hivemind, or still has to. */
interface Entry {
  /** The id of its record. */
  readonly id: string;
  /** The id of the learning, `attempt`, or `person` for what a person stored there. */
  readonly source: string;
  readonly runId: string | null;
  readonly taskId: string | null;
  readonly state: EntryState;
  /** Only while it is pending. */
  readonly memory: SharedMemory | null;
}

interface Occasion {
  readonly runId: string | null;
  readonly now: Date;
}

/** Pending records above this number stay in the project: its hivemind has not been available for long. */
const maxPending = 1000;

/** Keeps a record until it is stored in the hivemind. */
export async function putPending(
  tx: Tx,
  memory: SharedMemory,
  from: { readonly source: string; readonly taskId: string | null } & Occasion,
): Promise<void> {
  const { source, taskId } = from;
  // A purge of the run deletes what its attempts stored; a learning has a life of its own.
  const runId = source === "attempt" ? from.runId : null;
  await putEntry(
    tx,
    { id: memory.id, source, runId, taskId, state: "pending", memory },
    { ...from, maxPending },
  );
}

/** Marks entries, by id, in the given state; their text is no longer needed. With `from`, only those in that state. */
export async function markEntries(
  tx: Tx,
  ids: readonly string[],
  state: Exclude<EntryState, "pending">,
  { now, from = null }: { readonly now: Date; readonly from?: EntryState | null },
): Promise<void> {
  if (ids.length === 0) return;
  const at = now.toISOString();
  const { sql, params } = tx.dialect.inList("id", ids);
  await tx.run(
    `UPDATE hivemind_entries SET state = ?, entry = '', created_at = ?, updated_at = ?
     WHERE ${sql} AND state = COALESCE(?, state)`,
    [state, at, at, ...params, from],
  );
}

/** Marks an entry as stored under the id that the hivemind gave it. */
export async function markSentAs(
  tx: Tx,
  { id, sentAs }: { readonly id: string; readonly sentAs: string },
  occasion: Occasion,
): Promise<void> {
  const [entry] = await entriesWhere(tx, [id]);
  if (!entry) return;
  await eraseEntries(tx, [id]);
  await putEntry(tx, { ...entry, id: sentAs, state: "sent", memory: null }, occasion);
}

/** Keeps a learning out of the hivemind. */
export async function putLocal(
  tx: Tx,
  { id, source }: { readonly id: string; readonly source: string },
  occasion: Occasion,
): Promise<void> {
  await putEntry(tx, { id, source, runId: null, taskId: null, state: "local", memory: null }, occasion);
}

/** With `maxPending`, does nothing where so many entries are pending. */
async function putEntry(
  tx: Tx,
  entry: Entry,
  { now, maxPending: max = null }: { readonly now: Date; readonly maxPending?: number | null },
): Promise<void> {
  const at = now.toISOString();
  const row = {
    id: entry.id,
    source: entry.source,
    run_id: entry.runId,
    task_id: entry.taskId,
    state: entry.state,
    entry: entry.memory ? JSON.stringify(entry.memory) : "",
    created_at: at,
    updated_at: at,
  };
  await tx.run(
    `INSERT INTO hivemind_entries (id, source, run_id, task_id, state, entry, created_at, updated_at)
     SELECT ?, ?, ?, ?, ?, ?, ?, ?
     WHERE COALESCE((SELECT COUNT(*) FROM hivemind_entries WHERE state = 'pending') < ?, TRUE)
     ON CONFLICT (id) DO UPDATE SET run_id = excluded.run_id, task_id = excluded.task_id, state = excluded.state,
       entry = excluded.entry, created_at = excluded.created_at, updated_at = excluded.updated_at`,
    [...Object.values(row), max],
  );
}

/** Deletes entries; with `from`, only those in that state. */
export async function eraseEntries(
  tx: Tx,
  ids: readonly string[],
  from: EntryState | null = null,
): Promise<void> {
  if (ids.length === 0) return;
  const { sql, params } = tx.dialect.inList("id", ids);
  await tx.run(`DELETE FROM hivemind_entries WHERE ${sql} AND state = COALESCE(?, state)`, [...params, from]);
}

interface EntryRow extends Omit<Entry, "memory"> {
  readonly entry: string;
}

const select = `SELECT id, source, run_id AS "runId", task_id AS "taskId", state, entry FROM hivemind_entries`;

function fromRow({ entry, ...row }: EntryRow): Entry {
  const parsed = entry === "" ? undefined : parseJson(entry);
  // Written by `putEntry`.
  return { ...row, memory: isObject(parsed) ? (parsed as unknown as SharedMemory) : null };
}

async function entriesWhere(q: Reader, ids: readonly string[]): Promise<readonly Entry[]> {
  const { sql, params } = q.dialect.inList("id", ids);
  return (await q.all<EntryRow>(`${select} WHERE ${sql}`, params)).map(fromRow);
}

/** Returns the entries that the hivemind lacks, or still has although they left. */
export async function unsettledEntries(q: Reader): Promise<readonly Entry[]> {
  const rows = await q.all<EntryRow>(
    `${select} WHERE state IN ('pending','leaving') ORDER BY created_at, id`,
  );
  return rows.map(fromRow);
}

/** Returns what the attempts of a task stored in the hivemind, or still have to. */
export async function attemptEntries(q: Reader, taskId: string): Promise<readonly Entry[]> {
  const rows = await q.all<EntryRow>(
    `${select} WHERE source = 'attempt' AND task_id = ? AND state IN ('pending','sent') ORDER BY created_at, id`,
    [taskId],
  );
  return rows.map(fromRow);
}

export async function entryOfSource(q: Reader, source: string): Promise<Entry | undefined> {
  const row = await q.get<EntryRow>(`${select} WHERE source = ? ORDER BY created_at DESC, id LIMIT 1`, [
    source,
  ]);
  return row && fromRow(row);
}

/** Returns the ids of what a run stored in the hivemind, or of what came from these learnings. */
export async function entriesOf(
  q: Reader,
  of: { readonly runId: string | null; readonly sources: readonly string[] },
): Promise<readonly string[]> {
  const { sql, params } = q.dialect.inList("source", of.sources);
  const rows = await q.all<{ id: string }>(
    `SELECT id FROM hivemind_entries WHERE run_id = ? OR ${sql} ORDER BY id`,
    [of.runId, ...params],
  );
  return rows.map(({ id }) => id);
}

/** Counts the entries of each state. */
export async function countEntries(q: Reader): Promise<Readonly<Record<EntryState, number>>> {
  const rows = await q.all<{ state: EntryState; n: number }>(
    "SELECT state, COUNT(*) AS n FROM hivemind_entries GROUP BY state",
  );
  const counts = { pending: 0, sent: 0, leaving: 0, local: 0 };
  for (const { state, n } of rows) counts[state] = Number(n);
  return counts;
}

/** Returns the ids of records that an attempt or a learning of this project left in the hivemind. */
export async function derivedEntries(q: Reader, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { sql, params } = q.dialect.inList("id", ids);
  const rows = await q.all<{ id: string }>(
    `SELECT id FROM hivemind_entries WHERE source <> 'person' AND ${sql}`,
    params,
  );
  return new Set(rows.map(({ id }) => id));
}
