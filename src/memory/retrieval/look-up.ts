import type { Reader } from "../../store/db.ts";
import { countsOf, type Shelf, wordsWith } from "./index-store.ts";
import type { Collection } from "./score.ts";
import type { WeighedQuery } from "./weigh-query.ts";

/** A query, and in how many documents each of its words stands; words that stand in none are left out. */
export interface LookedUp {
  readonly query: WeighedQuery;
  readonly counts: ReadonlyMap<string, number>;
}

/** Of how many unknown words the index is asked for words that contain them, for how many each, and what those count. */
const partialWords = { pieces: 8, each: 5, weight: 0.5 };

/** The first documents of a store would make every word common: rarity is told as if there were this many. */
const fewest = 100;

/** Common words take long to count, and their counts hardly change: kept per store until it has grown by a fiftieth. */
const common = { from: 200, growth: 1.02, atMost: 20_000 };
const kept = new WeakMap<Reader, { documents: number; counts: Map<string, number> }>();

/**
 * Counts the query's words. Those that the index lacks are taken for parts of words that it has: `okenSto` finds
 * `tokenStore`.
 */
export async function lookUp(q: Reader, query: WeighedQuery, shelves: readonly Shelf[]): Promise<LookedUp> {
  const documents = documentsIn(shelves);
  const counts = new Map(await count(q, [...query.words.keys()], documents));
  const unknown = [...query.words.keys()].filter((word) => !counts.has(word) && [...word].length >= 3);
  const words = new Map(query.words);
  for (const piece of unknown.slice(0, partialWords.pieces)) {
    for (const word of await wordsWith(q, piece, partialWords.each)) {
      if (!words.has(word)) words.set(word, partialWords.weight);
    }
  }
  const found = [...words.keys()].filter((word) => !query.words.has(word));
  for (const [word, n] of await count(q, found, documents)) counts.set(word, n);
  return { query: { ...query, words }, counts };
}

/** Counts are of the whole index, so rarity is too; lengths are those of the shelves that are searched. */
export function collectionOf(
  shelves: readonly Shelf[],
  searched: readonly Shelf[],
  counts: ReadonlyMap<string, number>,
): Collection {
  const documents = Math.max(documentsIn(shelves), fewest);
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

export function documentsIn(shelves: readonly Shelf[]): number {
  return shelves.reduce((sum, shelf) => sum + shelf.documents, 0);
}

async function count(
  q: Reader,
  words: readonly string[],
  documents: number,
): Promise<ReadonlyMap<string, number>> {
  const known = countsKeptOf(q, documents);
  const counts = await countsOf(
    q,
    words.filter((word) => !known.has(word)),
  );
  const all = new Map<string, number>();
  for (const word of words) {
    const n = known.get(word) ?? counts.get(word);
    if (n === undefined) continue;
    all.set(word, n);
    if (n >= common.from && known.size < common.atMost) known.set(word, n);
  }
  return all;
}

function countsKeptOf(q: Reader, documents: number): Map<string, number> {
  const there = kept.get(q);
  const grown =
    there === undefined || documents > there.documents * common.growth || documents < there.documents;
  if (!grown) return there.counts;
  const counts = new Map<string, number>();
  kept.set(q, { documents, counts });
  return counts;
}
