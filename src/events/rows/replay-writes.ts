import { isObject } from "../../base/json.ts";
import type { Row, SqlValue, Tx } from "../../store/db.ts";
import { quoted } from "../../store/dialect.ts";
import type { TableWrite } from "../event.ts";
import { unfoldWrites } from "./fold-writes.ts";
import type { KnownTable, KnownTables } from "./known-tables.ts";

/** Repeats all writes that can be repeated; returns false when one could not. */
export async function replayWrites(tx: Tx, tables: KnownTables, writes: unknown): Promise<boolean> {
  let whole = true;
  for (const write of unfoldWrites(writes)) {
    if (!isWrite(write)) {
      whole = false;
      continue;
    }
    const table = tables.get(write.table);
    try {
      if (table) await tx.savepoint(() => repeat(tx, table, write));
    } catch (error) {
      if (!tx.dialect.isRowError(error)) throw error;
      whole = false;
    }
  }
  return whole;
}

/** Returns true when a value read from a log is a write. */
export function isWrite(value: unknown): value is TableWrite {
  if (!isObject(value) || typeof value["table"] !== "string" || !isObject(value["row"])) return false;
  if (value["op"] !== "put" && value["op"] !== "delete") return false;
  return Object.values(value["row"]).every(
    (cell) => cell === null || typeof cell === "string" || typeof cell === "number",
  );
}

async function repeat(tx: Tx, table: KnownTable, { op, row }: TableWrite): Promise<void> {
  await (op === "put" ? put(tx, table, row) : remove(tx, table, row));
}

/** Inserts the row or updates it in place: replacing it would delete the rows that refer to it. */
async function put(tx: Tx, table: KnownTable, row: Row): Promise<void> {
  const { columns, values } = known(table, row);
  if (columns.length === 0) return;
  const names = columns.map(quoted).join(", ");
  const insert = `INSERT INTO ${quoted(table.name)} (${names}) VALUES (${columns.map(() => "?").join(", ")})`;
  if (table.key.length === 0 || !table.key.every((name) => columns.includes(name))) {
    await tx.run(`${insert} ON CONFLICT DO NOTHING`, values);
    return;
  }
  const changes = columns
    .filter((name) => !table.key.includes(name))
    .map((name) => `${quoted(name)} = excluded.${quoted(name)}`);
  const then = changes.length > 0 ? `DO UPDATE SET ${changes.join(", ")}` : "DO NOTHING";
  await tx.run(`${insert} ON CONFLICT (${table.key.map(quoted).join(", ")}) ${then}`, values);
}

async function remove(tx: Tx, table: KnownTable, row: Row): Promise<void> {
  const { columns, values } = known(table, row);
  if (columns.length === 0) return;
  const which = columns.map((name) => `${quoted(name)} IS NOT DISTINCT FROM ?`).join(" AND ");
  await tx.run(`DELETE FROM ${quoted(table.name)} WHERE ${which}`, values);
}

function known(table: KnownTable, row: Row): { columns: readonly string[]; values: readonly SqlValue[] } {
  const columns = Object.keys(row).filter((name) => table.columns.has(name));
  return { columns, values: columns.map((name) => row[name] ?? null) };
}
