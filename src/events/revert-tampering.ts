import type { JsonObject } from "../base/json.ts";
import type { Reader, Row, Tx } from "../store/db.ts";
import { quoted } from "../store/dialect.ts";
import type { RalphEvent, TableWrite } from "./event.ts";
import { eventsAfter } from "./log/sealed-events.ts";
import { record } from "./outbox-store.ts";
import { redactObject } from "./redact-json.ts";
import { unfoldWrites } from "./rows/fold-writes.ts";
import { type KnownTable, type KnownTables, knownTables } from "./rows/known-tables.ts";
import { repairOrphans } from "./rows/repair-orphans.ts";
import { isWrite, replayWrites } from "./rows/replay-writes.ts";

interface TamperBaseline {
  /** The same store at an earlier moment. */
  readonly before: Reader;
  /** `.ralph/events.jsonl`. */
  readonly file: string;
}

/** Restoring one row can change others, as deep as tables refer to tables. */
const maxPasses = 4;

interface Reverted {
  /** The writes that restored rows. */
  readonly writes: readonly TableWrite[];
  /** Names of triggers and views that were planted in the store; they are gone. */
  readonly planted: readonly string[];
  /** The number of events in the log and the outbox that no process with the project's key recorded. */
  readonly forgedEvents: number;
}

/**
 * Reverts rows of tasks and memory that someone other than ralph wrote. Every write of ralph records its row as an event,
 * so the expected rows are those of `before` with the events since then applied; events without a valid seal do not count.
 * Records what it restores as an event of run `runId`. Does not detect tampering by a process that read the project's key.
 * Ignores tables without a primary key.
 */
export async function revertTampering(
  tx: Tx,
  since: TamperBaseline,
  { runId, now }: { readonly runId: string | null; readonly now: Date },
): Promise<Reverted> {
  // First: they would answer each write of a row with writes of their own.
  const planted = await tx.dialect.dropStoredStatements();
  const after = await since.before.dialect.lastNumber("outbox");
  const { trusted, doubted } = await eventsAfter(tx, { seal: tx.seal, file: since.file, after });
  const known = await knownTables(tx);
  const logged = lastWrites(known, trusted);
  const all: TableWrite[] = [];
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const writes = await tamperedRows(tx, since.before, { known, logged });
    if (writes.length === 0) break;
    await tx.dialect.deferForeignKeys();
    await replayWrites(tx, known, writes);
    all.push(...writes);
  }
  if (all.length > 0) await repairOrphans(tx);
  // An agent can lower the number of the next event to one whose rows would not count.
  const highest = Math.max(after, ...trusted.map(({ seq = 0 }) => seq));
  if ((await tx.dialect.lastNumber("outbox")) < highest) await tx.dialect.continueNumbers("outbox", highest);
  const rows = [...all, ...(await rowsOf(tx, known, lastWrites(known, doubted)))];
  if (rows.length > 0) await record(tx, { type: "rows.reverted", runId, rows }, now);
  return { writes: all, planted, forgedEvents: doubted.length };
}

/** Returns the rows that events without a seal name, as they are: a rebuild from the log must end with these. */
async function rowsOf(q: Reader, known: KnownTables, named: LoggedWrites): Promise<readonly TableWrite[]> {
  const rows: TableWrite[] = [];
  for (const [name, writes] of named) {
    const table = known.get(name);
    if (!table || table.key.length === 0) continue;
    for (const { row } of writes.values()) {
      const is = await rowOf(q, table, row);
      rows.push(
        is ? { table: name, op: "put", row: is } : { table: name, op: "delete", row: keyColumns(table, row) },
      );
    }
  }
  return rows;
}

/** The last logged write to each row, by table and key. */
type LoggedWrites = ReadonlyMap<string, ReadonlyMap<string, TableWrite>>;

function lastWrites(tables: KnownTables, events: readonly RalphEvent[]): LoggedWrites {
  const last = new Map<string, Map<string, TableWrite>>();
  for (const write of events.flatMap(({ rows }) => unfoldWrites(rows)).filter(isWrite)) {
    const table = tables.get(write.table);
    if (!table) continue;
    const writes = last.get(table.name) ?? new Map<string, TableWrite>();
    writes.set(keyOf(table, write.row), write);
    last.set(table.name, writes);
  }
  return last;
}

interface LogKnowledge {
  readonly known: KnownTables;
  readonly logged: LoggedWrites;
}

/** Returns the writes that restore differing rows: first missing and changed rows, then deletions of added ones. */
async function tamperedRows(
  tx: Reader,
  before: Reader,
  { known, logged }: LogKnowledge,
): Promise<readonly TableWrite[]> {
  const writes: TableWrite[] = [];
  for (const table of known.values()) {
    if (table.key.length === 0) continue;
    const own = logged.get(table.name);
    for (const [key, row] of await changedKeys({ tx, before }, table, own)) {
      const write = own?.get(key);
      const should = write ? imageOf(write) : await rowOf(before, table, row);
      const revert = revertOf(table, {
        should,
        is: await rowOf(tx, table, row),
        logged: write !== undefined,
      });
      if (revert) writes.push(revert);
    }
  }
  return writes.toSorted((a, b) => Number(a.op === "delete") - Number(b.op === "delete"));
}

/** Returns the key columns of all rows that anyone changed, ralph included. */
async function changedKeys(
  at: { readonly tx: Reader; readonly before: Reader },
  table: KnownTable,
  own: ReadonlyMap<string, TableWrite> | undefined,
): Promise<ReadonlyMap<string, Row>> {
  const there = await rowFingerprints(at.tx, table);
  const was = await rowFingerprints(at.before, table);
  const changed = new Map<string, Row>();
  for (const [key, { row }] of [...was, ...there]) {
    if (was.get(key)?.fingerprint !== there.get(key)?.fingerprint) changed.set(key, row);
  }
  for (const [key, { row }] of own ?? []) changed.set(key, row);
  return changed;
}

interface RowComparison {
  readonly should: Row | undefined;
  readonly is: Row | undefined;
  /** True when `should` comes from an event, where secrets are redacted. */
  readonly logged: boolean;
}

function revertOf(table: KnownTable, { should, is, logged }: RowComparison): TableWrite | undefined {
  if (!should) return is && { table: table.name, op: "delete", row: keyColumns(table, is) };
  if (is && isSame(should, logged ? redacted(is) : is)) return undefined;
  return { table: table.name, op: "put", row: should };
}

function imageOf({ op, row }: TableWrite): Row | undefined {
  return op === "put" ? row : undefined;
}

interface RowFingerprint {
  /** The key columns. */
  readonly row: Row;
  /** All columns as one text that also distinguishes values of different types. */
  readonly fingerprint: string;
}

async function rowFingerprints(q: Reader, table: KnownTable): Promise<ReadonlyMap<string, RowFingerprint>> {
  const keys = table.key.map(quoted).join(", ");
  const values = [...table.columns].map((name) => q.dialect.literalOf(quoted(name))).join(" || ',' || ");
  const rows = await q.all<Row & { readonly " ": string }>(
    `SELECT ${keys}, ${values} AS " " FROM ${quoted(table.name)}`,
  );
  return new Map(rows.map((row) => [keyOf(table, row), { row, fingerprint: row[" "] }]));
}

async function rowOf(q: Reader, table: KnownTable, row: Row): Promise<Row | undefined> {
  const which = table.key.map((name) => `${quoted(name)} IS NOT DISTINCT FROM ?`).join(" AND ");
  const values = table.key.map((name) => row[name] ?? null);
  return q.get<Row>(`SELECT * FROM ${quoted(table.name)} WHERE ${which}`, values);
}

function keyOf({ key }: KnownTable, row: Row): string {
  const [only] = key;
  return key.length === 1 && only !== undefined
    ? String(row[only])
    : JSON.stringify(key.map((name) => row[name]));
}

function keyColumns({ key }: KnownTable, row: Row): Row {
  return Object.fromEntries(key.map((name) => [name, row[name] ?? null]));
}

/** Returns the row in the form that an event stores. */
function redacted(row: Row): Row {
  return redactObject(row as JsonObject) as Row;
}

function isSame(should: Row, is: Row): boolean {
  for (const name in should) if (should[name] !== is[name]) return false;
  return true;
}
