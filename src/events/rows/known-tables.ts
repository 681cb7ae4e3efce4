import type { Reader } from "../../store/db.ts";

/** A table that the log can rebuild. */
export interface KnownTable {
  readonly name: string;
  readonly columns: ReadonlySet<string>;
  /** The primary key's columns; none for some tables of an older tool. */
  readonly key: readonly string[];
}

export type KnownTables = ReadonlyMap<string, KnownTable>;

/** Leases, and the state of processes: true only while they live. */
const transientTables = new Set([
  "claims",
  "runs",
  "iterations",
  "pending_commits",
  "workspace_state",
  "outbox",
]);

/** Made from other tables' rows (`memory/retrieval/`), and made anew from them where these are rebuilt. */
const derivedTables = new Set([
  "retrieval_shelves",
  "retrieval_documents",
  "retrieval_words",
  "retrieval_lists",
  "retrieval_blocks",
]);

/** The tables that hold tasks and memory, by name. SQLite only. */
export async function knownTables(q: Reader): Promise<KnownTables> {
  const columns = await q.all<{ table: string; column: string; pk: number }>(
    `SELECT t.name AS "table", c.name AS "column", c.pk AS pk
     FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
     WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
     ORDER BY t.name, c.pk`,
  );
  const tables = new Map<string, { name: string; columns: Set<string>; key: string[] }>();
  for (const { table, column, pk } of columns) {
    if (transientTables.has(table) || derivedTables.has(table)) continue;
    const known = tables.get(table) ?? { name: table, columns: new Set<string>(), key: [] };
    known.columns.add(column);
    if (pk > 0) known.key.push(column);
    tables.set(table, known);
  }
  return tables;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
