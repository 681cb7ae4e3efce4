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
import { learningSource } from "./learnings/store/learning-index.ts";

type Sources = readonly DocumentSource[];

/** The kinds of memory that the index holds. */
const indexed: Sources = [learningSource];

/**
 * Builds the index of a store that lost it, as after a migration that made the index anew or where someone took a table
 * away, or that lacks a kind altogether. Costs a few short queries else.
 */
export async function ensureIndex(db: Db, sources: Sources = indexed): Promise<void> {
  if (!(await isIndexIntact(db)) || (await lacksKind(db, sources))) await recreateIndex(db, sources);
}

/** Whether a kind has documents and the index has none of them. */
async function lacksKind(q: Reader, sources: Sources): Promise<boolean> {
  for (const source of sources) {
    if ((await countIndexed(q, source.kind)) === 0 && (await source.count(q)) > 0) return true;
  }
  return false;
}

/**
 * Builds the index anew where it does not fit the rows: of a store that was rebuilt or migrated, or mended after an
 * agent wrote in it; or where most of what it lists is gone. Counts both, which takes milliseconds in a large store.
 */
export async function repairIndex(db: Db, sources: Sources = indexed): Promise<void> {
  if ((await isIndexComplete(db, sources)) && (await isFragmented(db))) await recreateIndex(db, sources);
  else await completeIndex(db, sources);
}

/** As `mendIndex`, for who is about to search: what is slow but whole is left alone. */
export async function completeIndex(db: Db, sources: Sources = indexed): Promise<void> {
  if (await isIndexComplete(db, sources)) return;
  await db.transaction(async (tx) => {
    // Another process may have written between the counts, or have built it in the meantime.
    if (!(await isIndexComplete(tx, sources))) await recreateIndexIn(tx, sources);
  });
}

/** How many learnings can be found, and what is wrong with that; reads all of them. */
export async function examineIndex(
  q: Reader,
): Promise<{ readonly learnings: number; readonly fault: string | undefined }> {
  return { learnings: await countUsable(q), fault: await findIndexFault(q, indexed) };
}

/** Builds the index anew whatever it is like; returns how many documents it has then. */
export function recreateIndex(db: Db, sources: Sources = indexed): Promise<number> {
  return db.transaction((tx) => recreateIndexIn(tx, sources));
}
