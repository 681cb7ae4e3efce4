import type { SchemaObject } from "../port/dialect.ts";
import { openConnection } from "./connection.ts";
import { migrate } from "./migrate.ts";
import { schemaNamed } from "./schema-version.ts";

/** Returns what a migrated store consists of, in the order of creation. Migrates a database in memory to find out. */
export async function sqliteSchemaObjects(): Promise<readonly SchemaObject[]> {
  const connection = await openConnection(":memory:", { readOnly: false });
  try {
    await migrate(connection, async () => undefined, schemaNamed("project"));
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
