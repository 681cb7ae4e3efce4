import type { Reader, Tx } from "../store/db.ts";
import type { DocumentSource } from "./document.ts";
import { clearPostings } from "./index/posting-store.ts";
import { clearTrigrams } from "./index/trigram-store.ts";
import { indexNew } from "./index-document.ts";
import { clearEntries, partitionsOf } from "./partition-store.ts";

/**
 * Builds the index anew from what the kinds hold: after a repair of the store, after a purge (removed documents leave
 * their words behind), after a change of how texts are split. All sources at once: what none of them has is gone.
 */
export async function rebuildIndex(tx: Tx, sources: readonly DocumentSource[]): Promise<number> {
  await clearEntries(tx);
  await clearPostings(tx);
  await clearTrigrams(tx);
  let indexed = 0;
  for (const source of sources) {
    for await (const documents of source.readAll(tx)) {
      await indexNew(tx, documents);
      indexed += documents.length;
    }
  }
  return indexed;
}

/** How many documents of a kind the index has. */
export async function countIndexed(q: Reader, kind: string): Promise<number> {
  const shelves = await partitionsOf(q);
  return shelves.reduce((sum, shelf) => sum + (shelf.kind === kind ? shelf.documents : 0), 0);
}

/** Whether most of what the index lists was removed or replaced since it was built. */
export async function isFragmented(q: Reader): Promise<boolean> {
  const shelves = await partitionsOf(q);
  const sum = (of: "given" | "documents"): number => shelves.reduce((all, shelf) => all + shelf[of], 0);
  return sum("given") > fragmentedAbove + 2 * sum("documents");
}

/** Below this many numbers given the index is fast however many of them are gone. */
const fragmentedAbove = 1000;
