import type { Reader } from "../../store/db.ts";
import { type PostingList, postingListsOf } from "../index/posting-store.ts";
import { wordsWithTrigram } from "../index/trigram-store.ts";
import type { Partition } from "../partition-store.ts";
import type { Collection } from "./score.ts";
import type { WeighedQuery } from "./weigh-query.ts";

/** A query, and where its words stand; words that stand nowhere are left out. */
export interface LookUpResult {
  readonly query: WeighedQuery;
  readonly postings: readonly PostingList[];
  /** In how many documents of the whole index. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Of how many unknown words the index is asked for words that contain them, for how many each, and what those count. */
const partialWords = { pieces: 8, each: 5, weight: 0.5 };

/** The first documents of a store would make every word common: rarity is told as if there were this many. */
const minMatches = 100;

/**
 * Counts the query's words. Those that the index lacks are taken for parts of words that it has: `okenSto` finds
 * `tokenStore`.
 */
export async function lookUp(q: Reader, query: WeighedQuery): Promise<LookUpResult> {
  const known = await postingListsOf(q, [...query.words.keys()]);
  const there = new Set(known.map(({ word }) => word));
  const unknown = [...query.words.keys()].filter((word) => !there.has(word) && [...word].length >= 3);
  const words = new Map(query.words);
  for (const piece of unknown.slice(0, partialWords.pieces)) {
    for (const word of await wordsWithTrigram(q, piece, partialWords.each)) {
      if (!words.has(word)) words.set(word, partialWords.weight);
    }
  }
  const found = [...words.keys()].filter((word) => !query.words.has(word));
  const lists = [...known, ...(found.length > 0 ? await postingListsOf(q, found) : [])];
  const counts = new Map<string, number>();
  for (const { word, documents } of lists) counts.set(word, (counts.get(word) ?? 0) + documents);
  return { query: { ...query, words }, postings: lists, counts };
}

/** Counts are of the whole index, so rarity is too; lengths are those of the shelves that are searched. */
export function collectionOf(
  shelves: readonly Partition[],
  searched: readonly Partition[],
  counts: ReadonlyMap<string, number>,
): Collection {
  const documents = Math.max(documentsIn(shelves), minMatches);
  const words = searched.reduce((sum, shelf) => sum + shelf.words, 0);
  const rarities = new Map([...counts].map(([word, n]) => [word, rarity(n, documents)]));
  return {
    averageWords: words / Math.max(1, documentsIn(searched)),
    idf: (word) => rarities.get(word) ?? 0,
    unknown: rarity(0, documents),
  };
}

function rarity(n: number, documents: number): number {
  return Math.log(1 + (Math.max(documents, n) - n + 0.5) / (n + 0.5));
}

export function documentsIn(shelves: readonly Partition[]): number {
  return shelves.reduce((sum, shelf) => sum + shelf.documents, 0);
}
