import type { Row, SqlParam } from "./db.ts";

/** A row of `insertAtCommit`. */
export interface LateRow {
  readonly table: string;
  readonly row: Row;
}

const rowsPerInsert = 50;

/** Returns the statements that insert the rows, in their order within each table. */
export function insertStatements(
  late: readonly LateRow[],
): readonly { readonly sql: string; readonly params: readonly SqlParam[] }[] {
  const tables = new Map<string, Row[]>();
  for (const { table, row } of late) {
    const rows = tables.get(table);
    if (rows) rows.push(row);
    else tables.set(table, [row]);
  }
  return [...tables].flatMap(([table, rows]) => {
    const names = Object.keys(rows[0] ?? {});
    const places = `(${names.map(() => "?").join(", ")})`;
    const parts = Array.from({ length: Math.ceil(rows.length / rowsPerInsert) }, (_, part) =>
      rows.slice(part * rowsPerInsert, (part + 1) * rowsPerInsert),
    );
    return parts.map((some) => ({
      sql: `INSERT INTO ${table} (${names.join(", ")}) VALUES ${some.map(() => places).join(", ")}`,
      params: some.flatMap(Object.values),
    }));
  });
}
