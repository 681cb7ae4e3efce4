import { count } from "../base/text.ts";
import { countIndexed, isFragmented, isIndexComplete } from "../search/check-index.ts";
import type { DocumentSource } from "../search/document.ts";
import { rebuildIndex } from "../search/rebuild-index.ts";
import type { Db, Reader } from "../store/port/db.ts";
import { documentSources } from "./kinds.ts";

type Sources = readonly DocumentSource[];

/** Rebuilds the index of a store that lacks a kind altogether, as an older store does. Costs a few short queries otherwise. */
export async function ensureIndex(db: Db, given?: Sources): Promise<void> {
  const sources = given ?? (await documentSources());
  for (const source of sources) {
    if ((await countIndexed(db, source.kind)) > 0 || (await source.count(db)) === 0) continue;
    await recreateIndex(db, sources);
    return;
  }
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
    if (!(await isIndexComplete(tx, sources))) await rebuildIndex(tx, sources);
  });
}

/** Returns the searchable memories in words, and whether the index has all of them. */
export async function examineIndex(
  q: Reader,
): Promise<{ readonly documents: string; readonly isComplete: boolean }> {
  const sources = await documentSources();
  const counts: string[] = [];
  for (const source of sources) {
    const documents = await source.count(q);
    if (documents > 0) counts.push(count(documents, source.kind));
  }
  return { documents: counts.join(", "), isComplete: await isIndexComplete(q, sources) };
}

/** Rebuilds the index; returns its number of documents. */
export async function recreateIndex(db: Db, given?: Sources): Promise<number> {
  const sources = given ?? (await documentSources());
  return db.transaction((tx) => rebuildIndex(tx, sources));
}
