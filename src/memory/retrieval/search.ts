import type { Reader } from "../../store/db.ts";
import type { DocumentSource, RetrievalDocument } from "./document.ts";
import { countsOf, matches, newest, type Shelf, shelvesOf, wordsWith } from "./index-store.ts";
import type { RetrievalQuery } from "./query.ts";
import { type Collection, type ScoreParts, scoreParts } from "./score.ts";
import { type WeighedQuery, weighQuery } from "./weigh-query.ts";

/** How many of the best by words, and of the newest, are looked at closely. */
const reach: { matched: number; newest: number; terms: number } = {
  matched: 50,
  newest: 30,
  terms: 64,
};

/** Of how many unknown words the index is asked for words that contain them, for how many each, and what those count. */
const partialWords = { pieces: 8, each: 5, weight: 0.5 };

export interface SearchRequest {
  readonly query: RetrievalQuery;
  /** Whose documents are looked for. */
  readonly sources: readonly DocumentSource[];
  /** Only these scopes; default all. */
  readonly scopes?: readonly string[];
  /** At most so many hits; 0 for all that were looked at. */
  readonly limit: number;
  readonly now: Date;
  /** What is known of a document's use, added to its score; kept within -1 and 1. Default 0. */
  readonly prior?: (document: RetrievalDocument) => number;
  /** Default true: nothing rather than what hardly matches. */
  readonly abstain?: boolean;
  /** Default true: what is new counts more. */
  readonly recency?: boolean;
}

export interface Hit {
  readonly document: RetrievalDocument;
  /** Comparable within one search only. */
  readonly score: number;
  readonly parts: ScoreParts;
}

export interface SearchResult {
  /** Best first; ties: the newer, then by id. */
  readonly hits: readonly Hit[];
  /** True: something matched, but too weakly. */
  readonly abstained: boolean;
  /** How many documents were looked at closely. */
  readonly considered: number;
}

/** Finds what fits a query. Takes any text as a query; no match gives no hits. */
export async function search(q: Reader, request: SearchRequest): Promise<SearchResult> {
  const plain = weighQuery(request.query);
  const shelves = await shelvesFor(q, request);
  const documents = shelves.reduce((sum, shelf) => sum + shelf.documents, 0);
  if (documents === 0) return { hits: [], abstained: false, considered: 0 };
  const known = await countsOf(q, matchable(plain));
  const { query, counts } = await withPartialWords(q, plain, known);
  const collection = collectionOf(shelves, counts);
  const terms = [...counts]
    .sort((a, b) => a[1] - b[1])
    .slice(0, reach.terms)
    .map(([word]) => word);
  const found = await candidates(q, {
    shelves,
    sources: request.sources,
    terms,
    recency: request.recency !== false,
  });
  const context = { query, collection, now: request.now, recency: request.recency !== false };
  const hits = found.map((document) => {
    const parts = scoreParts(document, context);
    const prior = Math.max(-1, Math.min(1, request.prior?.(document) ?? 0));
    return { document, parts, score: Object.values(parts).reduce((sum, part) => sum + part, prior) };
  });
  hits.sort(byScore);
  return {
    hits: request.limit > 0 ? hits.slice(0, request.limit) : hits,
    abstained: false,
    considered: hits.length,
  };
}

const wordsAtMost = 400;

function matchable(query: WeighedQuery): readonly string[] {
  const words = [...query.words.keys(), ...query.parts, query.error, ...query.tasks];
  return [...new Set(words)].filter(Boolean).slice(0, wordsAtMost);
}

/** Words that the index lacks are taken for parts of words that it has: `okenSto` finds `tokenStore`. */
async function withPartialWords(
  q: Reader,
  query: WeighedQuery,
  counts: ReadonlyMap<string, number>,
): Promise<{ query: WeighedQuery; counts: ReadonlyMap<string, number> }> {
  const unknown = [...query.words.keys()].filter((word) => !counts.has(word) && [...word].length >= 3);
  const found: string[] = [];
  for (const piece of unknown.slice(0, partialWords.pieces)) {
    found.push(...(await wordsWith(q, piece, partialWords.each)));
  }
  if (found.length === 0) return { query, counts };
  const words = new Map(query.words);
  for (const word of found) if (!words.has(word)) words.set(word, partialWords.weight);
  return { query: { ...query, words }, counts: new Map([...counts, ...(await countsOf(q, found))]) };
}

function byScore(a: Hit, b: Hit): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.document.createdAt !== b.document.createdAt)
    return a.document.createdAt < b.document.createdAt ? 1 : -1;
  return a.document.id < b.document.id ? -1 : 1;
}

async function shelvesFor(q: Reader, { sources, scopes }: SearchRequest): Promise<readonly Shelf[]> {
  const kinds = new Set(sources.map(({ kind }) => kind));
  const shelves = await shelvesOf(q);
  return shelves.filter(({ kind, scope }) => kinds.has(kind) && (scopes?.includes(scope) ?? true));
}

function collectionOf(shelves: readonly Shelf[], counts: ReadonlyMap<string, number>): Collection {
  const documents = shelves.reduce((sum, shelf) => sum + shelf.documents, 0);
  const words = shelves.reduce((sum, shelf) => sum + shelf.words, 0);
  return {
    averageWords: Math.max(1, words / Math.max(1, documents)),
    idf: (word) => {
      const n = counts.get(word) ?? 0;
      return n === 0 ? 0 : Math.max(1e-6, Math.log((documents - n + 0.5) / (n + 0.5)));
    },
  };
}

interface Reach {
  readonly shelves: readonly Shelf[];
  readonly sources: readonly DocumentSource[];
  readonly terms: readonly string[];
  readonly recency: boolean;
}

async function candidates(
  q: Reader,
  { shelves, sources, terms, recency }: Reach,
): Promise<readonly RetrievalDocument[]> {
  const byKind = new Map<string, Set<string>>();
  for (const shelf of shelves) {
    const found = await matches(q, shelf, { words: terms, limit: reach.matched });
    const last = recency ? await newest(q, shelf, reach.newest) : [];
    const ids = byKind.get(shelf.kind) ?? new Set<string>();
    for (const { id } of [...found, ...last]) ids.add(id);
    byKind.set(shelf.kind, ids);
  }
  const documents: RetrievalDocument[] = [];
  for (const source of sources) {
    const ids = [...(byKind.get(source.kind) ?? [])];
    if (ids.length > 0) documents.push(...(await source.read(q, ids)));
  }
  return documents;
}
