import type { Reader } from "../store/db.ts";
import type { DocumentSource, RetrievalDocument } from "./document.ts";
import { type Partition, partitionsOf } from "./partition-store.ts";
import type { RetrievalQuery } from "./query.ts";
import { strengthOf, weakestStrength } from "./rank/abstention.ts";
import { candidates } from "./rank/candidates.ts";
import { collectionOf, documentsIn, lookUp } from "./rank/look-up.ts";
import { type ScoreParts, scoreParts, sharesRareLabel, totalScore } from "./rank/score.ts";
import { weighQuery } from "./rank/weigh-query.ts";

/** By how much at most what is known of a document's use moves its score. */
const priorReach = 0.2;

/** Documents scored between two pauses. */
const scoredAtOnce = 20;

export interface SearchRequest {
  readonly query: RetrievalQuery;
  /** Whose documents are looked for. */
  readonly sources: readonly DocumentSource[];
  /** Only these scopes; default all. */
  readonly scopes?: readonly string[];
  /** At most so many hits; 0 for all that were looked at. */
  readonly limit: number;
  readonly now: Date;
  /** What is known of a document's use: kept within -1 and 1, it moves the score by a fifth at most. Default 0. */
  readonly prior?: (document: RetrievalDocument) => number;
  /** Default true: nothing rather than what hardly matches. False for what a person typed. */
  readonly abstain?: boolean;
  /** Default true: what is new counts more. */
  readonly recency?: boolean;
  /** Awaited between the steps, about each millisecond, for a caller that has more urgent things to see to. */
  readonly pause?: () => Promise<void>;
}

export interface SearchHit {
  readonly document: RetrievalDocument;
  /** Comparable within one search only. */
  readonly score: number;
  readonly parts: ScoreParts;
}

export interface SearchResult {
  /** Best first; ties: the newer, then by id. */
  readonly hits: readonly SearchHit[];
  /** True: something matched, but too weakly. */
  readonly abstained: boolean;
  /** How many documents were looked at closely. */
  readonly considered: number;
  /** See `strengthOf`: what abstaining goes by. */
  readonly strength: number;
}

/** Finds what fits a query. Takes any text as a query; no match gives no hits. */
export async function search(q: Reader, request: SearchRequest): Promise<SearchResult> {
  const shelves = await partitionsOf(q);
  const searched = shelves.filter((shelf) => isRequested(shelf, request));
  if (documentsIn(searched) === 0) return nothing;
  const { query, postings: lists, counts } = await lookUp(q, weighQuery(request.query));
  await request.pause?.();
  const recency = request.recency !== false;
  const collection = collectionOf(shelves, searched, counts);
  const context = { query, collection, now: request.now, recency };
  const { sources } = request;
  const found = await candidates(q, {
    partitions: searched,
    sources,
    query,
    postings: lists,
    idf: collection.idf,
    recency,
  });
  const hits: SearchHit[] = [];
  for (const [at, document] of found.entries()) {
    if (at % scoredAtOnce === 0) await request.pause?.();
    const parts = scoreParts(document, context);
    const prior = Math.max(-1, Math.min(1, request.prior?.(document) ?? 0));
    hits.push({ document, parts, score: totalScore(parts) * (1 + priorReach * prior) });
  }
  const strength = strengthOf(hits, context, documentsIn(searched));
  const isNamed = hits.some(
    ({ parts, document }) =>
      parts.error + parts.tasks + parts.files > 0 || sharesRareLabel(document, context),
  );
  if (request.abstain !== false && strength < weakestStrength && !isNamed) {
    return { hits: [], abstained: hits.length > 0, considered: hits.length, strength };
  }
  hits.sort(byScore);
  const limited = request.limit > 0 ? hits.slice(0, request.limit) : hits;
  return { hits: limited, abstained: false, considered: hits.length, strength };
}

const nothing: SearchResult = { hits: [], abstained: false, considered: 0, strength: 0 };

/** What mended this very error goes first, whatever else fits. */
function byScore(a: SearchHit, b: SearchHit): number {
  if (a.parts.error !== b.parts.error) return b.parts.error - a.parts.error;
  if (a.score !== b.score) return b.score - a.score;
  if (a.document.createdAt !== b.document.createdAt)
    return a.document.createdAt < b.document.createdAt ? 1 : -1;
  return a.document.id < b.document.id ? -1 : 1;
}

function isRequested({ kind, scope }: Partition, { sources, scopes }: SearchRequest): boolean {
  return sources.some((source) => source.kind === kind) && (scopes?.includes(scope) ?? true);
}
