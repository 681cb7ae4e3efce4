import type { Tx } from "../store/port/db.ts";
import { indexDialect } from "./dialect-in-use.ts";
import type { DocumentSource } from "./document.ts";
import { addDocuments } from "./index-documents.ts";
import { clearEntries } from "./partition-store.ts";
import { clearPostings } from "./posting-store.ts";
import { clearWords } from "./trigram-store.ts";

/**
 * Rebuilds the index from the sources' rows and returns the number of documents. Needed after a repair of the store, after
 * a purge (removed documents leave their words in posting lists), and after a change of the tokenizer. Pass all sources at
 * once: documents of other kinds are lost.
 */
export async function rebuildIndex(tx: Tx, sources: readonly DocumentSource[]): Promise<number> {
  await clearEntries(tx);
  await clearPostings(tx);
  await clearWords(tx);
  return addAll(tx, sources);
}

/** Rebuilds the index like `rebuildIndex`, in new tables: for an index whose tables are missing or damaged. */
export async function recreateIndex(tx: Tx, sources: readonly DocumentSource[]): Promise<number> {
  await indexDialect(tx).recreateTables(tx);
  return addAll(tx, sources);
}

async function addAll(tx: Tx, sources: readonly DocumentSource[]): Promise<number> {
  let indexed = 0;
  for (const source of sources) {
    for await (const documents of source.readAll(tx)) {
      await addDocuments(tx, documents);
      indexed += documents.length;
    }
  }
  return indexed;
}
