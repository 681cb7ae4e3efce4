import type { Reader } from "../store/port/db.ts";
import type { Partition } from "./partition-store.ts";
import { type PostingList, readPostingLists } from "./posting-store.ts";
import { formShare, relatedWords } from "./related-words.ts";
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
 * `tokenStore` where the query was typed, `Rechnungen` finds `Rechnung`.
 */
export async function lookUpWords(
  q: Reader,
  query: WeighedQuery,
  { partitions, isTyped }: { readonly partitions: readonly Partition[]; readonly isTyped: boolean },
): Promise<LookUpResult> {
  const ids = new Set(partitions.map(({ id }) => id));
  const read = async (words: readonly string[]): Promise<readonly PostingList[]> =>
    (await readPostingLists(q, words)).filter(({ partition }) => ids.has(partition));
  const known = await read([...query.words.keys()]);
  const knownWords = new Set(known.map(({ word }) => word));
  const unknown = [...query.words.keys()].filter((word) => !knownWords.has(word) && [...word].length >= 3);
  const found = {
    words: new Map(query.words),
    replaced: new Set<string>(),
    standIns: new Map<string, number>(),
  };
  for (const word of unknown.slice(0, maxUnknown)) await addRelated(q, word, { query, found, isTyped });
  const added = [...found.words.keys()].filter((word) => !query.words.has(word));
  const postings = [...known, ...(added.length > 0 ? await read(added) : [])];
  const counts = new Map<string, number>();
  for (const { word, documents } of postings) counts.set(word, (counts.get(word) ?? 0) + documents);
  return { query: { ...query, ...found }, postings, counts };
}

interface Found {
  readonly words: Map<string, number>;
  readonly replaced: Set<string>;
  readonly standIns: Map<string, number>;
}

/** Adds the words that stand for an unknown one. */
async function addRelated(
  q: Reader,
  word: string,
  {
    query,
    found,
    isTyped,
  }: { readonly query: WeighedQuery; readonly found: Found; readonly isTyped: boolean },
): Promise<void> {
  const weight = query.words.get(word) ?? 1;
  const inTitle = query.titleWords.has(word);
  const related = await relatedWords(q, { word, weight, inTitle, mayBePart: isTyped });
  if (related.size > 0) found.replaced.add(word);
  for (const [one, by] of related) {
    if (found.words.has(one)) continue;
    found.words.set(one, by);
    found.standIns.set(one, Math.min(1, by / weight / formShare));
  }
}

/**
 * Returns word rarities over all `partitions` and the average length in the searched partitions. `left`: documents of the searched
 * partitions that do not count.
 */
export function collectionStats(
  partitions: readonly Partition[],
  searched: readonly Partition[],
  counts: ReadonlyMap<string, number>,
  left: readonly { readonly all: ReadonlySet<string>; readonly length: number }[] = [],
): CollectionStats {
  const documents = Math.max(countIn(partitions) - left.length, minCollection);
  const words =
    searched.reduce((sum, partition) => sum + partition.words, 0) -
    left.reduce((sum, { length }) => sum + length, 0);
  const rarities = new Map<string, number>();
  for (const [word, all] of counts) {
    const n = all - left.filter((one) => one.all.has(word)).length;
    if (n > 0) rarities.set(word, rarity(n, documents));
  }
  return {
    averageWords: Math.max(0, words) / Math.max(1, countIn(searched) - left.length),
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
