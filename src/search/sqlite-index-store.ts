import { quoted } from "../store/port/dialect.ts";
import type { IndexDialect } from "./index-dialect.ts";

/** The index's tables, with those that make up the virtual table `retrieval_pieces`. */
const tables = [
  "retrieval_shelves",
  "retrieval_documents",
  "retrieval_words",
  "retrieval_lists",
  "retrieval_blocks",
  "retrieval_pieces",
  "retrieval_pieces_data",
  "retrieval_pieces_idx",
  "retrieval_pieces_config",
];

/** The index in SQLite, with an FTS5 table for trigrams. All SQLite-specific SQL of this room is here. */
export const sqliteIndex: IndexDialect = {
  joinTexts: (expression) => `group_concat(${expression})`,
  isAlphanumeric: (column) => `${column} NOT GLOB '*[^a-z0-9]*'`,
  addTrigrams: async (tx, id, word) => {
    await tx.run("INSERT INTO retrieval_pieces (rowid, word) VALUES (?, ?)", [id, word]);
  },
  wordsContaining: async (q, part, trigrams, limit) => {
    const match = trigrams.map((trigram) => `"${trigram}"`).join(" AND ");
    const rows = await q.all<{ word: string }>(
      `SELECT w.word AS "word" FROM retrieval_pieces AS p JOIN retrieval_words AS w ON w.id = p.rowid
       WHERE retrieval_pieces MATCH ? AND instr(w.word, ?) > 0 ORDER BY length(w.word), w.word LIMIT ?`,
      [match, part, limit],
    );
    return rows.map(({ word }) => word);
  },
  clearTrigrams: async (tx) => {
    await tx.run("INSERT INTO retrieval_pieces (retrieval_pieces) VALUES ('delete-all')");
  },
  hasTables: async (q) => {
    const row = await q.get<{ n: number }>(
      `SELECT COUNT(*) AS n FROM sqlite_master WHERE type = 'table' AND name IN (${tables.map(() => "?").join(", ")})`,
      tables,
    );
    return row?.n === tables.length;
  },
  recreateTables: async (tx) => {
    const objects = (await tx.dialect.schemaObjects()).filter(({ derived }) => derived);
    const existing = await tx.all<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'retrieval\\_%' ESCAPE '\\'
         AND name NOT LIKE 'retrieval\\_pieces%' ESCAPE '\\'`,
    );
    // The virtual table first: dropping it drops its internal tables, which cannot be dropped by themselves.
    await tx.run("DROP TABLE IF EXISTS retrieval_pieces");
    for (const { name } of existing) await tx.run(`DROP TABLE IF EXISTS ${quoted(name)}`);
    for (const { sql, shadow } of objects) if (!shadow) await tx.run(sql);
  },
};
