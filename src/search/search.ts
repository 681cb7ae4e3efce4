import type { Reader } from "../store/port/db.ts";
import type { DocumentSource, SearchDocument } from "./document.ts";
import type { Evidence } from "./fit-evidence.ts";
import { type Fit, judgeFit } from "./fit-probability.ts";
import { indexedWords } from "./index-documents.ts";
import { collectionStats, countIn, lookUpWords } from "./look-up-words.ts";
import { readPartitions } from "./partition-store.ts";
import { readPostingLists } from "./posting-store.ts";
import type { SearchQuery } from "./query.ts";
import { type ScoreParts, type ScoringContext, scoreParts, totalScore } from "./score.ts";
import { selectCandidates } from "./select-candidates.ts";
import { weighQuery } from "./weigh-query.ts";

/** The share of its score by which a document's prior can raise or lower it. */
const priorReach = 0.2;

/** Documents scored between two calls of `pause`. */
const scoredPerPause = 20;

export interface SearchRequest {
  readonly query: SearchQuery;
  /** The kinds whose documents are searched. */
  readonly sources: readonly DocumentSource[];
  /** Only these scopes; default: all. */
  readonly scopes?: readonly string[];
  /** Maximum number of hits; 0 returns every scored document. */
  readonly limit: number;
  readonly now: Date;
  /** A document's usefulness, clamped to -1 to 1: it changes the score by at most a fifth. Default 0. */
  readonly prior?: (document: SearchDocument) => number;
  /** Return only hits that probably fit, each decided separately; default true. False for text that a person typed. */
  readonly abstain?: boolean;
  /** Score new documents higher; default true. */
  readonly recency?: boolean;
  /** Awaited about once per millisecond of work, so that the caller's more urgent work can run. */
  readonly pause?: () => Promise<void>;
}

export interface SearchHit {
  readonly document: SearchDocument;
  /** Comparable within one search only. */
  readonly score: number;
  readonly parts: ScoreParts;
  /** The decision to show it; absent when the search did not decide. */
  readonly fit?: Fit;
}

export interface SearchResult {
  /** Best first, those in doubt after the others; ties by creation time, newest first, then by id. */
  readonly hits: readonly SearchHit[];
  /** Hits that probably do not fit, best first, of those that rank first. */
  readonly silenced: readonly SearchHit[];
  /** True when documents matched, but none probably fits. */
  readonly abstained: boolean;
  /** Number of documents that were scored. */
  readonly considered: number;
  /** Estimated probability that any document fits, 0 to 1; 0 when the search did not decide. */
  readonly probability: number;
  /** The evidence for the decision; null when the search did not decide. */
  readonly evidence: Evidence | null;
}

/**
 * Finds the documents that fit a query. Accepts any text; no match gives no hits. What a source has doubts about is judged among all
 * documents; the others are scored and judged as if those candidates were not in the index, and come first.
 */
export async function search(q: Reader, request: SearchRequest): Promise<SearchResult> {
  // Documents of other kinds do not make a word more or less common.
  const kinds = request.sources.map(({ kind }) => kind);
  const partitions = (await readPartitions(q)).filter(({ kind }) => kinds.includes(kind));
  const searched = partitions.filter(({ scope }) => request.scopes?.includes(scope) ?? true);
  if (countIn(searched) === 0) return emptyResult;
  const isTyped = request.abstain === false;
  const { query, postings, counts } = await lookUpWords(q, weighQuery(request.query), {
    partitions,
    isTyped,
  });
  await request.pause?.();
  const recency = request.recency !== false;
  const collection = collectionStats(partitions, searched, counts);
  const context = { query, collection, now: request.now, recency };
  const { sources } = request;
  const { documents, inDoubt } = await selectCandidates(q, {
    partitions: searched,
    sources,
    query,
    postings,
    idf: collection.idf,
    recency,
  });
  // Where all or none are in doubt, nobody asks for it.
  const left = inDoubt.size < documents.length ? [...inDoubt].map(indexedWords) : [];
  const withoutDoubt = { ...context, collection: collectionStats(partitions, searched, counts, left) };
  return rank(documents, { context, inDoubt, withoutDoubt, among: countIn(searched) }, request);
}

/** A search among documents that are not in the index. */
export interface DocumentSearch extends Pick<SearchRequest, "query" | "limit" | "now" | "abstain"> {
  /** The kinds of the index that determine how rare words are. */
  readonly rarityOf: readonly string[];
}

/**
 * As `search`, among a few given documents that the index does not hold, such as files of the project. Words are as rare
 * as they are in those kinds of the index and these documents together. Recency does not count.
 */
export async function searchDocuments(
  q: Reader,
  documents: readonly SearchDocument[],
  request: DocumentSearch,
): Promise<SearchResult> {
  if (documents.length === 0) return emptyResult;
  const query = weighQuery(request.query);
  const counts = new Map<string, number>();
  const add = (word: string, n: number): void => void counts.set(word, (counts.get(word) ?? 0) + n);
  const partitions = (await readPartitions(q)).filter(({ kind }) => request.rarityOf.includes(kind));
  const isCounted = new Set(partitions.map(({ id }) => id));
  for (const { word, documents: n, partition } of await readPostingLists(q, [...query.words.keys()]))
    if (isCounted.has(partition)) add(word, n);
  const candidates: SearchDocument[] = [];
  let words = 0;
  for (const document of documents) {
    const { all, length } = indexedWords(document);
    words += length;
    const shared = [...all].filter((word) => query.words.has(word));
    for (const word of shared) add(word, 1);
    if (shared.length > 0) candidates.push(document);
  }
  const own = { id: 0, kind: "", scope: "", documents: documents.length, words, nextDocId: 0 };
  const collection = collectionStats([...partitions, own], [own], counts);
  const context = { query, collection, now: request.now, recency: false };
  const doubt = { inDoubt: new Set<SearchDocument>(), withoutDoubt: context };
  return rank(candidates, { context, ...doubt, among: documents.length }, request);
}

interface Searched {
  readonly context: ScoringContext;
  readonly inDoubt: ReadonlySet<SearchDocument>;
  /** The context of the same search in an index that lacks those in doubt. */
  readonly withoutDoubt: ScoringContext;
  /** Number of documents that were searched. */
  readonly among: number;
}

type RankRequest = Omit<SearchRequest, "sources">;

/** Scores documents and returns the best; none if all fit too weakly. */
async function rank(
  documents: readonly SearchDocument[],
  { context, inDoubt, withoutDoubt, among }: Searched,
  request: RankRequest,
): Promise<SearchResult> {
  const { limit } = request;
  const scored = await scoreAll(documents, context, request);
  if (request.abstain === false) {
    const hits = limit > 0 ? scored.slice(0, limit) : scored;
    return { ...emptyResult, hits, considered: scored.length };
  }
  const all = decide(scored, { context, limit, among });
  if (inDoubt.size === 0 || inDoubt.size === documents.length) return all;
  const sure = documents.filter((document) => !inDoubt.has(document));
  const own = { context: withoutDoubt, limit, among: among - inDoubt.size };
  const first = decide(await scoreAll(sure, withoutDoubt, request), own);
  const isInDoubt = ({ document }: SearchHit): boolean => inDoubt.has(document);
  const hits = [...first.hits, ...all.hits.filter(isInDoubt)];
  return {
    ...first,
    hits: limit > 0 ? hits.slice(0, limit) : hits,
    silenced: [...first.silenced, ...all.silenced.filter(isInDoubt)],
    abstained: hits.length === 0,
    considered: all.considered,
  };
}

/** Scores documents; best first. */
async function scoreAll(
  documents: readonly SearchDocument[],
  context: ScoringContext,
  request: RankRequest,
): Promise<readonly SearchHit[]> {
  const hits: SearchHit[] = [];
  for (const [at, document] of documents.entries()) {
    if (at % scoredPerPause === 0) await request.pause?.();
    const parts = scoreParts(document, context);
    const prior = Math.max(-1, Math.min(1, request.prior?.(document) ?? 0));
    hits.push({ document, parts, score: totalScore(parts) * (1 + priorReach * prior) });
  }
  return hits.sort(byScore);
}

/** Keeps the hits that probably fit, or share exact evidence with the query. */
function decide(
  hits: readonly SearchHit[],
  { context, limit, among }: Pick<Searched, "context" | "among"> & Pick<SearchRequest, "limit">,
): SearchResult {
  const judgement = judgeFit(hits, context, among);
  if (judgement === null) return emptyResult;
  const { probability, evidence, fits } = judgement;
  const judged = fits.flatMap((fit, at): readonly SearchHit[] => {
    const hit = hits[at];
    return hit ? [{ ...hit, fit }] : [];
  });
  const shown = judged.filter(({ fit }) => fit?.shown);
  const silenced = judged.filter(({ fit }) => !fit?.shown);
  return {
    hits: limit > 0 ? shown.slice(0, limit) : shown,
    silenced,
    abstained: shown.length === 0,
    considered: hits.length,
    probability,
    evidence,
  };
}

const emptyResult: SearchResult = {
  hits: [],
  silenced: [],
  abstained: false,
  considered: 0,
  probability: 0,
  evidence: null,
};

/** Orders hits by score, after those that fixed the query's error. */
function byScore(a: SearchHit, b: SearchHit): number {
  if (a.parts.error !== b.parts.error) return b.parts.error - a.parts.error;
  if (a.score !== b.score) return b.score - a.score;
  if (a.document.createdAt !== b.document.createdAt)
    return a.document.createdAt < b.document.createdAt ? 1 : -1;
  return a.document.id < b.document.id ? -1 : 1;
}
