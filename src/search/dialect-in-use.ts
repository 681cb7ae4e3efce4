import type { Reader } from "../store/port/db.ts";
import { quoted } from "../store/port/dialect.ts";
import type { IndexDialect } from "./index-dialect.ts";
import { sqliteIndex } from "./sqlite-index-store.ts";

const postgresTables = [
  "retrieval_shelves",
  "retrieval_documents",
  "retrieval_words",
  "retrieval_lists",
  "retrieval_blocks",
];

/** The index in PostgreSQL. Words are found by a part in one pass over the list of words: it needs no extension. */
const postgresIndex: IndexDialect = {
  joinTexts: (expression) => `string_agg(${expression}, ',')`,
  isAlphanumeric: (column) => `${column} ~ '^[a-z0-9]*$'`,
  addTrigrams: async () => undefined,
  wordsContaining: async (q, part, _trigrams, limit) => {
    const rows = await q.all<{ word: string }>(
      "SELECT word FROM retrieval_words WHERE strpos(word, ?) > 0 ORDER BY length(word), word LIMIT ?",
      [part, limit],
    );
    return rows.map(({ word }) => word);
  },
  clearTrigrams: async () => undefined,
  hasTables: async (q) => {
    const row = await q.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM information_schema.tables
       WHERE table_schema = current_schema() AND table_name IN (${postgresTables.map(() => "?").join(", ")})`,
      postgresTables,
    );
    return row?.n === postgresTables.length;
  },
  recreateTables: async (tx) => {
    for (const table of postgresTables) await tx.run(`DROP TABLE IF EXISTS ${quoted(table)}`);
    for (const { derived, sql } of await tx.dialect.schemaObjects()) if (derived) await tx.run(sql);
  },
};

const dialects: Readonly<Record<Reader["dialect"]["name"], IndexDialect>> = {
  sqlite: sqliteIndex,
  postgres: postgresIndex,
};

/** Returns the index's dialect of a store's database. */
export function indexDialect({ dialect }: Pick<Reader, "dialect">): IndexDialect {
  return dialects[dialect.name];
}
