import type { SearchDocument } from "../document.ts";
import { ngramSimilarity } from "../text/char-ngrams.ts";
import { idealScore, maxNgramScore, type ScoreParts, type ScoringContext } from "./score.ts";

/**
 * Minimum strength of the best document; below it a search returns nothing. Chosen on the public sets (docs/benchmarks.md)
 * as one set of constants for all, validated on random halves of their queries and with each set left out.
 */
export const minStrength = 6;

/** Exponent of the ideal score that normalises word scores: a long query finds many of its words in any document. */
const idealPower = 0.45;
/** Weight of the n-gram similarity. It depends on both lengths, so a few shared words in a long text add little. */
const similarityWeight = 30;
/** Strength that the best of several documents has by chance, per e-fold of their number. */
const chancePerFold = 0.25;

interface ScoredDocument {
  readonly document: SearchDocument;
  readonly parts: ScoreParts;
}

/**
 * Returns how much of the query the best single document covers. Comparable between queries and stores: the word score is
 * relative to the query's ideal score, and the expected score of the best document by chance is subtracted.
 */
export function strengthOf(
  scored: readonly ScoredDocument[],
  context: ScoringContext,
  documents: number,
): number {
  const ideal = Math.max(1, idealScore(context)) ** idealPower;
  const byChance = chancePerFold * Math.log(Math.max(1, documents));
  const best = (similarity: (one: ScoredDocument) => number): number =>
    Math.max(
      0,
      ...scored.map((one) => one.parts.words / ideal + similarityWeight * similarity(one) - byChance),
    );
  const byText = best(({ parts }) => parts.grams / maxNgramScore);
  // Most documents are strong enough without their context, and n-grams take time to compare.
  if (byText >= minStrength) return byText;
  const { grams } = context.query;
  return Math.max(
    byText,
    best(({ document }) => (document.context ? ngramSimilarity(grams, document.context) : 0)),
  );
}
