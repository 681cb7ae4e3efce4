import {
  countIndexed,
  findIndexFault,
  isFragmented,
  isIndexComplete,
  isIndexIntact,
} from "../search/check-index.ts";
import type { DocumentSource } from "../search/document.ts";
import { recreateIndex as recreateIndexIn } from "../search/rebuild-index.ts";
import type { Db, Reader } from "../store/db.ts";
import { countUsable } from "./count-learnings.ts";
import { documentSources } from "./kinds.ts";

type Sources = readonly DocumentSource[];

/**
 * Rebuilds the index of a store that lost it (a migration recreated it, someone dropped a table) or that lacks a kind
 * altogether. Costs a few short queries otherwise.
 */
export async function ensureIndex(db: Db, given?: Sources): Promise<void> {
  const sources = given ?? (await documentSources());
  if (!(await isIndexIntact(db)) || (await lacksKind(db, sources))) await recreateIndex(db, sources);
}

/** Returns true if a kind has documents and the index has none of them. */
async function lacksKind(q: Reader, sources: Sources): Promise<boolean> {
  for (const source of sources) {
    if ((await countIndexed(q, source.kind)) === 0 && (await source.count(q)) > 0) return true;
  }
  return false;
}

/**
 * Rebuilds an index that does not match the rows (the store was rebuilt, migrated or repaired after tampering) or that
 * lists mostly deleted documents. Counts both, which takes milliseconds in a large store.
 */
export async function repairIndex(db: Db, given?: Sources): Promise<void> {
  const sources = given ?? (await documentSources());
  if ((await isIndexComplete(db, sources)) && (await isFragmented(db))) await recreateIndex(db, sources);
  else await completeIndex(db, sources);
}

/** As `repairIndex`, before a search: an index that is slow but complete stays as it is. */
export async function completeIndex(db: Db, given?: Sources): Promise<void> {
  const sources = given ?? (await documentSources());
  if (await isIndexComplete(db, sources)) return;
  await db.transaction(async (tx) => {
    // Another process may have written between the counts, or have built it in the meantime.
    if (!(await isIndexComplete(tx, sources))) await recreateIndexIn(tx, sources);
  });
}

/** Returns the number of searchable learnings and the fault of the index, if any; reads all documents. */
export async function examineIndex(
  q: Reader,
): Promise<{ readonly learnings: number; readonly fault: string | undefined }> {
  return { learnings: await countUsable(q), fault: await findIndexFault(q, await documentSources()) };
}

/** Rebuilds the index in any state; returns its number of documents. */
export async function recreateIndex(db: Db, given?: Sources): Promise<number> {
  const sources = given ?? (await documentSources());
  return db.transaction((tx) => recreateIndexIn(tx, sources));
}
