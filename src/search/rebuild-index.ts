import type { Tx } from "../store/port/db.ts";
import type { DocumentSource } from "./document.ts";
import { addDocuments } from "./index-documents.ts";
import { clearEntries } from "./partition-store.ts";
import { clearPostings } from "./posting-store.ts";

/**
 * Rebuilds the index from the sources' rows and returns the number of documents. Needed after a repair of the store, after
 * a purge (removed documents leave their words in posting lists), and after a change of the tokenizer. Pass all sources at
 * once: documents of other kinds are lost.
 */
export async function rebuildIndex(tx: Tx, sources: readonly DocumentSource[]): Promise<number> {
  await clearEntries(tx);
  await clearPostings(tx);
  let indexed = 0;
  for (const source of sources) {
    for await (const documents of source.readAll(tx)) {
      await addDocuments(tx, documents);
      indexed += documents.length;
    }
  }
  return indexed;
}
