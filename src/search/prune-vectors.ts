import { sha256 } from "../base/hash.ts";
import type { Db, Reader } from "../store/db.ts";
import type { SearchDocument } from "./document.ts";
import { countVectors, deleteVectors, storedHashes } from "./index/vector-store.ts";
import { documentText, queryText } from "./meaning.ts";
import type { SearchQuery } from "./query.ts";

/** The texts whose vectors are kept, in parts. */
interface LivingTexts {
  readonly documents: (q: Reader) => AsyncIterable<readonly Pick<SearchDocument, "title" | "body">[]>;
  readonly queries: (q: Reader) => AsyncIterable<readonly Pick<SearchQuery, "title" | "description">[]>;
}

/** Deletes the vectors of texts that are gone. `pause` runs between short pieces of work. */
export async function pruneVectors(
  db: Db,
  { documents, queries }: LivingTexts,
  pause: () => Promise<void> | undefined,
): Promise<void> {
  const gone = new Set(await storedHashes(db));
  if (gone.size === 0) return;
  for await (const some of documents(db)) {
    for (const one of some) gone.delete(sha256(documentText(one)));
    await pause();
  }
  for await (const some of queries(db)) {
    for (const one of some) gone.delete(sha256(queryText(one)));
    await pause();
  }
  if (gone.size > 0) await db.transaction((tx) => deleteVectors(tx, [...gone]), { durable: false });
}

/** Returns the number of stored vectors, of all models. */
export function storedVectors(q: Reader): Promise<number> {
  return countVectors(q);
}
