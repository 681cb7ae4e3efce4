import type { Reader } from "../db.ts";
import type { Table } from "../dialect.ts";
import { quoted } from "../dialect.ts";

/** Bytes. Ralph writes far less in one place; SQLite itself returns at most 1 GB. */
const maxBytes = 64 * 1024 * 1024;

/** The last number of a table: one near the largest would soon be followed by one that cannot be read. */
const maxNumber = 2 ** 50;

/**
 * Returns the name of a table with an integer that JavaScript cannot hold, or a text or blob that is too long to be read: ralph
 * writes neither. Undefined: there is none. Reads every row, without its content.
 */
export async function findUnreadable(
  reader: Pick<Reader, "get">,
  tables: readonly Table[],
): Promise<string | undefined> {
  const hasNumbers = await reader.get("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'");
  const all = hasNumbers ? [...tables, { name: "sqlite_sequence", columns: [{ name: "seq" }] }] : tables;
  for (const { name, columns } of all) {
    const max = name === "sqlite_sequence" ? maxNumber : Number.MAX_SAFE_INTEGER;
    const tests = columns.map((column) => {
      const value = quoted(column.name);
      return `(typeof(${value}) = 'integer' AND ${value} NOT BETWEEN ${-max} AND ${max}) OR octet_length(${value}) > ${maxBytes}`;
    });
    const found = await reader.get(
      `SELECT 1 AS found FROM ${quoted(name)} WHERE ${tests.join(" OR ")} LIMIT 1`,
    );
    if (found) return name;
  }
  return undefined;
}

/** Far more rows than one iteration can add through ralph. */
const maxAdded = 50_000;

/** Returns the name of a table that has very many more rows than `before` has in it; undefined: there is none. */
export async function findFlooded(
  reader: Pick<Reader, "get">,
  before: Pick<Reader, "get">,
  tables: readonly Table[],
): Promise<string | undefined> {
  for (const { name } of tables) {
    const sql = `SELECT COUNT(*) AS rows FROM ${quoted(name)}`;
    const [now, was] = [await reader.get<{ rows: number }>(sql), await before.get<{ rows: number }>(sql)];
    if ((now?.rows ?? 0) > (was?.rows ?? 0) + maxAdded) return name;
  }
  return undefined;
}
