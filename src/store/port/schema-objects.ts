import type { Reader } from "./db.ts";
import type { SchemaTable } from "./dialect.ts";

/** Lists the tables and columns of `tables` that a store lacks: `the table learnings`, `the column topic of learnings`. */
export async function lacks(q: Reader, tables: readonly SchemaTable[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { name, columns } of tables) {
    const found = await q.dialect.columnsOf(name);
    if (!found) {
      missing.push(`the table ${name}`);
      continue;
    }
    for (const column of columns) {
      // Exactly: SQLite finds `Title` for `title`, but returns it by its own name, under which nobody reads it.
      if (!found.includes(column)) missing.push(`the column ${column} of ${name}`);
    }
  }
  return missing;
}
