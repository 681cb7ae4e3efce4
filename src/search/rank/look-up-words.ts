import type { Reader } from "../../store/db.ts";
import type { Partition } from "../index/partition-store.ts";
import { type PostingList, readPostingLists } from "../index/posting-store.ts";
import { relatedWords } from "./related-words.ts";
import type { CollectionStats } from "./score.ts";
import type { WeighedQuery } from "./weigh-query.ts";

/** A query with the posting lists of its words. */
export interface LookUpResult {
  readonly query: WeighedQuery;
  readonly postings: readonly PostingList[];
  /** Number of documents of the partitions that contain each word. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Number of unknown words that are looked up by their parts. */
const maxUnknown = 8;

/** Minimum collection size for rarity: in a store of a few documents every word would be common. */
const minCollection = 100;

/**
 * Looks up the query's words in some partitions of the index. For unknown words it takes related ones: `okenSto` finds
 * `tokenStore`, `Rechnungen` finds `Rechnung`.
 */
export async function lookUpWords(
  q: Reader,
  query: WeighedQuery,
  partitions: readonly Partition[],
): Promise<LookUpResult> {
  const ids = new Set(partitions.map(({ id }) => id));
  const read = async (words: readonly string[]): Promise<readonly PostingList[]> =>
    (await readPostingLists(q, words)).filter(({ partition }) => ids.has(partition));
  const known = await read([...query.words.keys()]);
  const knownWords = new Set(known.map(({ word }) => word));
  const unknown = [...query.words.keys()].filter((word) => !knownWords.has(word) && [...word].length >= 3);
  const words = new Map(query.words);
  const replaced = new Set<string>();
  for (const word of unknown.slice(0, maxUnknown)) {
    const found = await relatedWords(q, {
      word,
      weight: words.get(word) ?? 0,
      inTitle: query.titleWords.has(word),
    });
    if (found.size > 0) replaced.add(word);
    for (const [related, weight] of found) if (!words.has(related)) words.set(related, weight);
  }
  const added = [...words.keys()].filter((word) => !query.words.has(word));
  const postings = [...known, ...(added.length > 0 ? await read(added) : [])];
  const counts = new Map<string, number>();
  for (const { word, documents } of postings) counts.set(word, (counts.get(word) ?? 0) + documents);
  return { query: { ...query, words, replaced }, postings, counts };
}

/** Returns word rarities over all `partitions` and the average length in the searched partitions. */
export function collectionStats(
  partitions: readonly Partition[],
  searched: readonly Partition[],
  counts: ReadonlyMap<string, number>,
): CollectionStats {
  const documents = Math.max(countIn(partitions), minCollection);
  const words = searched.reduce((sum, partition) => sum + partition.words, 0);
  const rarities = new Map([...counts].map(([word, n]) => [word, rarity(n, documents)]));
  return {
    averageWords: words / Math.max(1, countIn(searched)),
    idf: (word) => rarities.get(word) ?? 0,
    unknown: rarity(0, documents),
  };
}

function rarity(n: number, documents: number): number {
  return Math.log(1 + (Math.max(documents, n) - n + 0.5) / (n + 0.5));
}

/** Returns the number of documents in some partitions. */
export function countIn(partitions: readonly Partition[]): number {
  return partitions.reduce((sum, partition) => sum + partition.documents, 0);
}
