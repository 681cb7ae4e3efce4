import type { Db, Reader, Tx } from "../store/db.ts";
import { countUsable } from "./count-learnings.ts";
import { learningSource } from "./learnings/learning-index.ts";
import { checkIndex } from "./retrieval/check-index.ts";
import { countDocuments } from "./retrieval/index-store.ts";
import { countIndexed, isWorn, rebuildIndex } from "./retrieval/rebuild-index.ts";
import { isPlainlyBroken, remakeTables, tablesAreThere } from "./retrieval/table-store.ts";

const sources = [learningSource];

/**
 * Makes a store whose index is gone, or plainly not whole, findable again: as after a migration that made the index
 * anew, or where someone took a table away. Costs a few short queries else.
 */
export async function ensureIndex(db: Db): Promise<void> {
  const broken = !(await tablesAreThere(db)) || (await isPlainlyBroken(db));
  if (!broken && (await countIndexed(db, learningSource.kind)) > 0) return;
  const any = "SELECT 1 FROM learnings WHERE status IN ('active','stale') LIMIT 1";
  if (broken || (await db.get(any))) await buildAnew(db);
}

/**
 * Builds the index anew where it does not fit the rows: of a store that was rebuilt or migrated, or mended after an
 * agent wrote in it; or where most of what it lists is gone. Counts both, which takes milliseconds in a large store.
 */
export async function mendIndex(db: Db): Promise<void> {
  if ((await fits(db)) && (await isWorn(db))) await buildAnew(db);
  else await completeIndex(db);
}

/** As `mendIndex`, for who is about to search: what is slow but whole is left alone. */
export async function completeIndex(db: Db): Promise<void> {
  if (await fits(db)) return;
  await db.transaction(async (tx) => {
    // Another process may have written between the counts, or have built it in the meantime.
    if (!(await fits(tx))) await buildIn(tx);
  });
}

async function fits(q: Reader): Promise<boolean> {
  if (!(await tablesAreThere(q)) || (await isPlainlyBroken(q))) return false;
  const usable = await countUsable(q);
  return (await countIndexed(q, learningSource.kind)) === usable && (await countDocuments(q)) === usable;
}

/** How many learnings can be found, and what is wrong with that; reads all of them. */
export async function examineIndex(
  q: Reader,
): Promise<{ readonly learnings: number; readonly fault: string | undefined }> {
  return { learnings: await countUsable(q), fault: await checkIndex(q, sources) };
}

/** Builds the index anew whatever it is like; returns how many learnings it has then. */
export function buildAnew(db: Db): Promise<number> {
  return db.transaction(buildIn);
}

async function buildIn(tx: Tx): Promise<number> {
  await remakeTables(tx);
  return rebuildIndex(tx, sources);
}
