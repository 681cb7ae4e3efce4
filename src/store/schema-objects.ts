import type { Reader } from "./db.ts";
import { openConnection } from "./sqlite/connection.ts";
import { migrate } from "./sqlite/migrate.ts";

/** A table or an index as this program makes it. */
export interface SchemaObject {
  readonly kind: "table" | "index";
  readonly name: string;
  /** The table that it is, or that it is an index of. */
  readonly table: string;
  /** The statement that makes it. */
  readonly sql: string;
  /** A part of a virtual table, which makes it. */
  readonly shadow: boolean;
  /** Of the search index: made of other tables' rows, so that nothing is lost with it. */
  readonly derived: boolean;
  /** Of a table. */
  readonly columns: readonly string[];
}

/** All that a store of this program's schema is made of, in the order of making. Reads no file. */
export async function schemaObjects(): Promise<readonly SchemaObject[]> {
  const connection = await openConnection(":memory:", { readOnly: false });
  try {
    await migrate(connection, async () => undefined);
    const rows = connection.all<
      Omit<SchemaObject, "shadow" | "derived" | "columns"> & { readonly shadow: number }
    >(
      `SELECT m.type AS kind, m.name, m.tbl_name AS "table", m.sql, COALESCE(l.type = 'shadow', 0) AS shadow
       FROM sqlite_master AS m LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = m.name
       WHERE m.type IN ('table', 'index') AND m.sql IS NOT NULL AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY m.rowid`,
    );
    return rows.map((row) => ({
      ...row,
      shadow: row.shadow === 1,
      derived: row.table.startsWith("retrieval_"),
      columns:
        row.kind === "table"
          ? connection
              .all<{ name: string }>("SELECT name FROM pragma_table_info(?)", [row.name])
              .map(({ name }) => name)
          : [],
    }));
  } finally {
    connection.close();
  }
}

/** What a store lacks of its tables: `the table learnings`, `the column topic of learnings`. SQLite only. */
export async function lacks(q: Reader, objects: readonly SchemaObject[]): Promise<readonly string[]> {
  const tables = objects.filter(({ kind }) => kind === "table");
  const missing: string[] = [];
  for (const { name, columns } of tables) {
    const there = await q.get("SELECT 1 FROM sqlite_master WHERE type = 'table' AND lower(name) = ?", [name]);
    if (!there) {
      missing.push(`the table ${name}`);
      continue;
    }
    const found = await q.all<{ name: string }>("SELECT lower(name) AS name FROM pragma_table_info(?)", [
      name,
    ]);
    for (const column of columns) {
      if (found.length > 0 && !found.some((one) => one.name === column.toLowerCase()))
        missing.push(`the column ${column} of ${name}`);
    }
  }
  return missing;
}
