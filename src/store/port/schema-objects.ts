import type { Reader } from "./db.ts";
import type { SchemaObject } from "./dialect.ts";

/** Lists the tables and columns of `objects` that a store lacks: `the table learnings`, `the column topic of learnings`. */
export async function lacks(q: Reader, objects: readonly SchemaObject[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const { kind, name, columns } of objects) {
    if (kind !== "table") continue;
    const found = await q.dialect.columnsOf(name);
    if (!found) {
      missing.push(`the table ${name}`);
      continue;
    }
    // A virtual table whose own parts are missing has no columns; those parts are listed themselves.
    if (found.length === 0) continue;
    for (const column of columns) {
      // Exactly: SQLite finds `Title` for `title`, but returns it by its own name, under which nobody reads it.
      if (!found.includes(column)) missing.push(`the column ${column} of ${name}`);
    }
  }
  return missing;
}
