import type { Reader, Tx } from "../../store/db.ts";
import type { DocumentSource } from "./document.ts";
import { indexDocument } from "./index-document.ts";
import { clearIndex, shelvesOf } from "./index-store.ts";

/**
 * Builds the index anew from what the kinds hold: after a repair of the store, after a purge (removed documents leave
 * their words behind), after a change of how texts are split. All sources at once: what none of them has is gone.
 */
export async function rebuildIndex(tx: Tx, sources: readonly DocumentSource[]): Promise<number> {
  await clearIndex(tx);
  let indexed = 0;
  for (const source of sources) {
    for await (const documents of source.readAll(tx)) {
      for (const document of documents) await indexDocument(tx, document);
      indexed += documents.length;
    }
  }
  return indexed;
}

/** How many documents of a kind the index has. */
export async function countIndexed(q: Reader, kind: string): Promise<number> {
  const shelves = await shelvesOf(q);
  return shelves.reduce((sum, shelf) => sum + (shelf.kind === kind ? shelf.documents : 0), 0);
}
