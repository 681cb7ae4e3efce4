import { count } from "../base/text.ts";
import {
  countIndexed,
  findIndexFault,
  isFragmented,
  isIndexComplete,
  isIndexIntact,
} from "../search/check-index.ts";
import type { DocumentSource } from "../search/document.ts";
import { recreateIndex as recreateIndexIn } from "../search/rebuild-index.ts";
import type { Db, Reader } from "../store/port/db.ts";
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
 * Rebuilds an index that does not match the rows (the store was restored or migrated) or that
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

/** Returns the searchable memories in words and the fault of the index, if any; reads all documents. */
export async function examineIndex(
  q: Reader,
): Promise<{ readonly documents: string; readonly fault: string | undefined }> {
  const sources = await documentSources();
  return { documents: await describeDocuments(q, sources), fault: await findIndexFault(q, sources) };
}

/** Describes what a complete index holds: `3 learnings`; "" for nothing. */
export async function describeDocuments(q: Reader, given?: Sources): Promise<string> {
  const counts: string[] = [];
  for (const source of given ?? (await documentSources())) {
    const documents = await source.count(q);
    if (documents > 0) counts.push(count(documents, source.kind));
  }
  return counts.join(", ");
}

/** Rebuilds the index in any state; returns its number of documents. */
export async function recreateIndex(db: Db, given?: Sources): Promise<number> {
  const sources = given ?? (await documentSources());
  return db.transaction((tx) => recreateIndexIn(tx, sources));
}
