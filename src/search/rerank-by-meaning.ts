import type { SearchDocument } from "./document.ts";
import type { Cosines } from "./meaning.ts";
import { addMeaning, canReorder, learnedWeight } from "./rank/add-meaning.ts";
import type { SearchHit } from "./search.ts";

const maxTexts = 50;

/** Hits ordered by the sum of their scores by words and by meaning. */
export interface RerankResult {
  readonly hits: readonly SearchHit[];
  /** Each hit's rank by meaning, from 1; empty without such a ranking. */
  readonly ranks: ReadonlyMap<SearchHit, number>;
}

interface RerankRequest {
  readonly hits: readonly SearchHit[];
  /** Returns the similarity of each document to the query; null: not known. */
  readonly cosinesOf: (documents: readonly SearchDocument[]) => Promise<Cosines | null>;
  /** The weight of meaning, if it was learned. */
  readonly weight?: number | undefined;
  /** The hits whose order matters; absent: all. The others only show which cosines stand out. */
  readonly ordered?: readonly SearchHit[];
}

/**
 * Reorders hits by adding what stands out by meaning to the scores by words (`rank/add-meaning.ts`). Returns the hits unchanged when
 * the similarities are not known, and without asking for them when they could not change the order.
 */
export async function rerankByMeaning(request: RerankRequest): Promise<RerankResult> {
  const { hits, cosinesOf, weight, ordered = hits } = request;
  const unchanged = { hits, ranks: new Map<SearchHit, number>() };
  const sent = hits.slice(0, maxTexts);
  const scores = sent.map(({ score }) => score);
  // Those with the error of the query stay before the others.
  const groups = [...new Set(ordered.map(({ parts }) => parts.error))].map((error) =>
    ordered.flatMap(({ parts, score }) => (parts.error === error ? [score] : [])),
  );
  const canMatter = groups.some((among) => canReorder(scores, { among, weight }));
  const cosines = canMatter ? await cosinesOf(sent.map(({ document }) => document)) : null;
  if (cosines === null) return unchanged;
  return {
    hits: [...sumScores(sent, cosines, weight), ...hits.slice(maxTexts)],
    ranks: ranksOf(sent, cosines),
  };
}

/**
 * Returns the weight of meaning for `rerankByMeaning`, from the comparisons in which a text that helped was closer to its
 * task than another: half the best score by words without any, 0 for a model that agrees as often as chance.
 */
export function weightOfMeaning(record: { readonly pairs: number; readonly agreed: number }): number {
  return learnedWeight(record);
}

/** Orders hits by their scores with meaning added. Hits that fixed the query's error stay first. */
function sumScores(hits: readonly SearchHit[], cosines: Cosines, weight?: number): readonly SearchHit[] {
  const scores = addMeaning(
    hits.map(({ score }) => score),
    cosines,
    weight,
  );
  const scored = hits.map((hit, at) => ({ hit, at, score: scores[at] ?? 0 }));
  scored.sort((a, b) => b.hit.parts.error - a.hit.parts.error || b.score - a.score || a.at - b.at);
  return scored.map(({ hit }) => hit);
}

/** Returns each hit's rank by cosine, from 1. */
function ranksOf(hits: readonly SearchHit[], cosines: Cosines): ReadonlyMap<SearchHit, number> {
  const ranked = hits
    .map((hit, at) => ({ hit, at, cosine: cosines[at] ?? 0 }))
    .sort((a, b) => b.cosine - a.cosine || a.at - b.at);
  return new Map(ranked.map(({ hit }, at) => [hit, at + 1]));
}
