import { closeSync } from "node:fs";
import type { JsonObject } from "../base/json.ts";
import type { Reader, Row, Tx } from "../store/db.ts";
import { quoted } from "../store/dialect.ts";
import type { RalphEvent, TableWrite } from "./event.ts";
import { openLogFile, readEventsAfter } from "./log/log-file.ts";
import { toLogEvent } from "./log/log-line.ts";
import { readPending } from "./outbox-store.ts";
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

/**
 * Reverts rows of tasks and memory that someone other than ralph wrote. Every write of ralph records its row as an event,
 * so the expected rows are those of `before` with the events since then applied. Returns the writes that restored them.
 * Does not detect tampering that forges the events too. Ignores tables without a primary key.
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

/** The last logged write to each row, by table and key. */
type LoggedWrites = ReadonlyMap<string, ReadonlyMap<string, TableWrite>>;

/** Collects the writes of all events since `before`, from the log and the outbox: each event is in one of them or both. */
async function writesSince(tx: Reader, { before, file }: TamperBaseline): Promise<LoggedWrites> {
  const start = await before.dialect.lastNumber("outbox");
  const events = eventsAfter(file, start);
  const pending = (await readPending(tx)).map(toLogEvent).filter(({ seq = 0 }) => seq > start);
  const bySeq = new Map([...events, ...pending].map((event) => [event.seq ?? 0, event]));
  const ordered = [...bySeq.values()].toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  const tables = await knownTables(before);
  const last = new Map<string, Map<string, TableWrite>>();
  for (const write of ordered.flatMap(({ rows }) => unfoldWrites(rows)).filter(isWrite)) {
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
