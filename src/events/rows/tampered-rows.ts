import type { JsonObject } from "../../base/json.ts";
import type { Reader, Row } from "../../store/db.ts";
import { quoted } from "../../store/dialect.ts";
import type { RalphEvent, TableWrite } from "../event.ts";
import { redactObject } from "../redact-json.ts";
import { unfoldWrites } from "./fold-writes.ts";
import type { KnownTable, KnownTables } from "./known-tables.ts";
import { isWrite } from "./replay-writes.ts";
import { rowName, type UnnamedColumns } from "./unnamed-columns.ts";

/** The rows that a store is compared with. */
export interface RowBaseline {
  /** The same store at an earlier moment, or one that was rebuilt from the log. */
  readonly before: Reader;
  /** The columns of a rebuilt store that no event names: they stay as they are. Absent for any other store. */
  readonly unnamed?: UnnamedColumns;
}

/** Returns the rows that events without a seal name, as they are: a rebuild from the log must end with these. */
export async function rowsOf(
  q: Reader,
  known: KnownTables,
  named: LoggedWrites,
): Promise<readonly TableWrite[]> {
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

export function lastWrites(tables: KnownTables, events: readonly RalphEvent[]): LoggedWrites {
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
export async function tamperedRows(
  tx: Reader,
  { before, unnamed }: RowBaseline,
  { known, logged }: LogKnowledge,
): Promise<readonly TableWrite[]> {
  const writes: TableWrite[] = [];
  for (const table of known.values()) {
    if (table.key.length === 0) continue;
    const own = logged.get(table.name);
    for (const [key, row] of await changedKeys({ tx, before }, table, own)) {
      const write = own?.get(key);
      const should = write ? imageOf(write) : named(await rowOf(before, table, row), table, unnamed);
      const revert = revertOf(table, {
        should,
        is: await rowOf(tx, table, row),
        logged: write !== undefined || unnamed !== undefined,
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

/** Returns the columns of a rebuilt row that events name. */
function named(
  row: Row | undefined,
  table: KnownTable,
  unnamed: UnnamedColumns | undefined,
): Row | undefined {
  const open = row && unnamed?.get(rowName(table, row));
  return open ? Object.fromEntries(Object.entries(row).filter(([column]) => !open.has(column))) : row;
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
  // The rules that redacted the event may have been others.
  if (is && logged && isSame(redacted(should), redacted(is))) return undefined;
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

/** Returns the row with this key, of all columns. */
export async function rowOf(q: Reader, table: KnownTable, row: Row): Promise<Row | undefined> {
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
