import type { Reader, Tx } from "../store/db.ts";
import { lacks } from "../store/schema-objects.ts";

/** The index's tables, those that make up a virtual one included. */
const names = [
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

/** Whether all of the index's tables are there, with whatever columns. One short query. */
export async function indexTablesExist(q: Reader): Promise<boolean> {
  const row = await q.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM sqlite_master WHERE type = 'table' AND name IN (${names.map(() => "?").join(", ")})`,
    names,
  );
  return row?.n === names.length;
}

/** What the index lacks of tables and columns. */
export async function missingParts(q: Reader): Promise<readonly string[]> {
  return lacks(
    q,
    (await q.dialect.schemaObjects()).filter(({ derived }) => derived),
  );
}

/** Whether what cannot be empty in an index that has documents is there. A few short queries. */
export async function isVisiblyBroken(q: Reader): Promise<boolean> {
  const row = await q.get<{ shelved: number; worded: number; documents: number; lists: number }>(
    `SELECT EXISTS (SELECT 1 FROM retrieval_shelves WHERE documents > 0) AS shelved,
       EXISTS (SELECT 1 FROM retrieval_shelves WHERE documents > 0 AND words > 0) AS worded,
       EXISTS (SELECT 1 FROM retrieval_documents) AS documents, EXISTS (SELECT 1 FROM retrieval_lists) AS lists`,
  );
  if (!row) return true;
  return row.shelved !== row.documents || row.worded > row.lists;
}

/**
 * Makes all of the index's tables anew, and empty. RALPH_STORE_INCOMPLETE where the virtual one lacks one of its own, which
 * only another program can take away: it cannot even be dropped then.
 */
export async function recreateIndexTables(tx: Tx): Promise<void> {
  const objects = (await tx.dialect.schemaObjects()).filter(({ derived }) => derived);
  const there = await tx.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'retrieval\\_%' ESCAPE '\\'
       AND name NOT LIKE 'retrieval\\_pieces%' ESCAPE '\\'`,
  );
  // First the virtual one, which takes its own with it; those alone cannot be dropped.
  await tx.run("DROP TABLE IF EXISTS retrieval_pieces");
  for (const { name } of there) await tx.run(`DROP TABLE IF EXISTS "${name.replaceAll('"', '""')}"`);
  for (const { sql, shadow } of objects) if (!shadow) await tx.run(sql);
}
