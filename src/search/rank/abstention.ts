import type { RetrievalDocument } from "../document.ts";
import { sharedTrigrams } from "../text/character-trigrams.ts";
import { idealScore, type ScoreParts, type ScoringContext, trigramsWorth } from "./score.ts";

/**
 * Abstaining: the best document must be this strong. Chosen on the public sets, see docs/benchmarks.md; one set of
 * constants for all of them, tried on random halves of their queries and with each set left out.
 */
export const weakestStrength = 6;

/** The words' score grows about so with what a query asks: a long query finds many of its words anywhere. */
const power = 0.45;
/** What likeness in letters counts beside the words. It is of both texts: a few words in a long text are little of it. */
const similarity = 30;
/** Of more documents the best fits better by chance alone: this much for each e-fold. */
const chance = 0.25;

interface Scored {
  readonly document: RetrievalDocument;
  readonly parts: ScoreParts;
}

/**
 * How much of what a query asks the best single document has. Comparable between queries and stores: words that fit are
 * set against all that were asked for, and what the best of so many documents has by chance is taken off.
 */
export function strengthOf(found: readonly Scored[], context: ScoringContext, documents: number): number {
  const asked = Math.max(1, idealScore(context)) ** power;
  const byChance = chance * Math.log(Math.max(1, documents));
  const best = (like: (one: Scored) => number): number =>
    Math.max(0, ...found.map((one) => one.parts.words / asked + similarity * like(one) - byChance));
  const byText = best(({ parts }) => parts.grams / trigramsWorth);
  // Most texts are strong enough without what they came up at, and letters take time to compare.
  if (byText >= weakestStrength) return byText;
  const { grams } = context.query;
  return Math.max(
    byText,
    best(({ document }) => (document.context ? sharedTrigrams(grams, document.context) : 0)),
  );
}
