import type { Reader } from "../../store/db.ts";

/** A table that the log can rebuild. */
export interface KnownTable {
  readonly name: string;
  readonly columns: ReadonlySet<string>;
  /** The columns of the primary key; empty for some tables of an older tool. */
  readonly key: readonly string[];
}

export type KnownTables = ReadonlyMap<string, KnownTable>;

/** Leases and the state of running processes: valid only while those live. */
const processTables = ["runs", "claims", "iterations", "pending_commits", "workspace_state"] as const;
const transientTables = new Set<string>([...processTables, "outbox"]);

/** Derived from other tables: the search index is rebuilt with them, vectors are asked for again. */
const derivedTables = new Set([
  "retrieval_shelves",
  "retrieval_documents",
  "retrieval_words",
  "retrieval_lists",
  "retrieval_blocks",
  "text_vectors",
]);

/** Reads which tables hold tasks and memory, by name. */
export async function knownTables(q: Reader): Promise<KnownTables> {
  return tablesOf(q, (name) => !transientTables.has(name) && !derivedTables.has(name));
}

/** Reads which tables hold leases and the state of running processes, by name. */
export async function tablesOfProcesses(q: Reader): Promise<KnownTables> {
  return tablesOf(q, (name) => processTables.some((table) => table === name));
}

async function tablesOf(q: Reader, isWanted: (name: string) => boolean): Promise<KnownTables> {
  const tables = (await q.dialect.tables()).filter(({ name }) => isWanted(name));
  return new Map(
    tables.map(({ name, columns }) => [
      name,
      {
        name,
        columns: new Set(columns.map((column) => column.name)),
        key: columns.filter(({ keyPosition }) => keyPosition > 0).map((column) => column.name),
      },
    ]),
  );
}
