import { closeSync } from "node:fs";
import type { JsonObject } from "../base/json.ts";
import type { Reader, Row, Tx } from "../store/db.ts";
import { quoted } from "../store/dialect.ts";
import type { RalphEvent, TableWrite } from "./event.ts";
import { openLogFile, readEventsAfter } from "./log/log-file.ts";
import { toLogEvent } from "./log/log-line.ts";
import { readPending } from "./outbox-store.ts";
import { redactObject } from "./redact-json.ts";
import { type KnownTable, type KnownTables, knownTables } from "./rows/known-tables.ts";
import { repairOrphans } from "./rows/repair-orphans.ts";
import { isWrite, replayWrites } from "./rows/replay-writes.ts";

interface TamperBaseline {
  /** The same store at an earlier moment. */
  readonly before: Reader;
  /** `.ralph/events.jsonl`. */
  readonly file: string;
}

/** Bringing one row back can take others along, as often as tables refer to tables. */
const maxPasses = 4;

/**
 * Every write of ralph's leaves its row as an event. Rows of tasks and memory that differ from what `before` and the
 * events since make of them were written by someone else: they are brought back. Gives the writes that it took. One who
 * forges the events as well is not found out. SQLite only; tables without a primary key are left alone.
 */
export async function revertTampering(tx: Tx, since: TamperBaseline): Promise<readonly TableWrite[]> {
  const logged = await writesSince(tx, since);
  const known = await knownTables(tx);
  const all: TableWrite[] = [];
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const writes = await tamperedRows(tx, since.before, { known, logged });
    if (writes.length === 0) break;
    await tx.dialect.deferForeignKeys();
    await replayWrites(tx, known, writes);
    all.push(...writes);
  }
  if (all.length > 0) await repairOrphans(tx);
  return all;
}

/** By table and key: the last write of ralph's to each row. */
type LoggedWrites = ReadonlyMap<string, ReadonlyMap<string, TableWrite>>;

/** The writes of all events since then, from the log and from the outbox: each is in one of them, or in both. */
async function writesSince(tx: Reader, { before, file }: TamperBaseline): Promise<LoggedWrites> {
  const start = await before.dialect.lastNumber("outbox");
  const events = eventsAfter(file, start);
  const waiting = (await readPending(tx)).map(toLogEvent).filter(({ seq = 0 }) => seq > start);
  const bySeq = new Map([...events, ...waiting].map((event) => [event.seq ?? 0, event]));
  const ordered = [...bySeq.values()].toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  const tables = await knownTables(before);
  const last = new Map<string, Map<string, TableWrite>>();
  for (const write of ordered.flatMap(({ rows }) => (Array.isArray(rows) ? rows : [])).filter(isWrite)) {
    const table = tables.get(write.table);
    if (!table) continue;
    const writes = last.get(table.name) ?? new Map<string, TableWrite>();
    writes.set(keyOf(table, write.row), write);
    last.set(table.name, writes);
  }
  return last;
}

function eventsAfter(file: string, seq: number): readonly RalphEvent[] {
  const descriptor = openLogFile(file);
  try {
    return readEventsAfter(descriptor, seq);
  } finally {
    closeSync(descriptor);
  }
}

interface LogKnowledge {
  readonly known: KnownTables;
  readonly logged: LoggedWrites;
}

/** The writes that bring back what differs: first the rows that lack or are wrong, then those that are too many. */
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
      const mend = revertOf(table, { should, is: await rowOf(tx, table, row), logged: write !== undefined });
      if (mend) writes.push(mend);
    }
  }
  return writes.toSorted((a, b) => Number(a.op === "delete") - Number(b.op === "delete"));
}

/** The rows, by their key's columns, that someone wrote: ralph or another. */
async function changedKeys(
  at: { readonly tx: Reader; readonly before: Reader },
  table: KnownTable,
  own: ReadonlyMap<string, TableWrite> | undefined,
): Promise<ReadonlyMap<string, Row>> {
  const there = await rowFingerprints(at.tx, table);
  const was = await rowFingerprints(at.before, table);
  const changed = new Map<string, Row>();
  for (const [key, { row }] of [...was, ...there]) {
    if (was.get(key)?.print !== there.get(key)?.print) changed.set(key, row);
  }
  for (const [key, { row }] of own ?? []) changed.set(key, row);
  return changed;
}

interface RowComparison {
  readonly should: Row | undefined;
  readonly is: Row | undefined;
  /** An event's row: its secrets are taken out. */
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
  /** The key's columns. */
  readonly row: Row;
  /** All columns as one text, which tells values of different types apart too. */
  readonly print: string;
}

async function rowFingerprints(q: Reader, table: KnownTable): Promise<ReadonlyMap<string, RowFingerprint>> {
  const keys = table.key.map(quoted).join(", ");
  const print = [...table.columns].map((name) => q.dialect.literalOf(quoted(name))).join(" || ',' || ");
  const rows = await q.all<Row & { readonly " ": string }>(
    `SELECT ${keys}, ${print} AS " " FROM ${quoted(table.name)}`,
  );
  return new Map(rows.map((row) => [keyOf(table, row), { row, print: row[" "] }]));
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

/** As an event holds it. */
function redacted(row: Row): Row {
  return redactObject(row as JsonObject) as Row;
}

function isSame(should: Row, is: Row): boolean {
  for (const name in should) if (should[name] !== is[name]) return false;
  return true;
}
