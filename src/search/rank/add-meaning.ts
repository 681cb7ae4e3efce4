/** Weight of meaning for a text that stands out fully, relative to a score of 1 for the best hit by words; before anything is learned. */
const meaningWeight = 0.5;
/** The largest weight that can be learned. */
const maxWeight = 0.75;
/** Comparisons that the starting weight is worth, and how many of them agreed. */
const prior = { pairs: 8, agreed: 6 };

/**
 * From how many standard deviations above the others a cosine counts, and from how many it counts fully. The cosines of a
 * model that knows nothing differ too, but few stand out like this. Chosen on the public sets (docs/benchmarks.md).
 */
const standsOut = { from: 2.5, full: 4.5 };
/** Smallest spread of cosines: smaller differences are rounding. */
const minSpread = 0.01;
/** Among fewer texts, too many stand out by chance. */
const minTexts = 4;

/**
 * Adds the meaning of texts to their scores by words: the score relative to the best one, plus how far the text's cosine
 * stands out from those of the other texts. One that is about as similar as the others gains nothing. `scores` and
 * `cosines` are of the same texts, in the same order.
 */
export function addMeaning(
  scores: readonly number[],
  cosines: readonly number[],
  weight: number = meaningWeight,
): readonly number[] {
  const best = Math.max(...scores);
  return scores.map((score, at) => {
    const words = best > 0 ? score / best : 0;
    const share = (deviations(cosines, at) - standsOut.from) / (standsOut.full - standsOut.from);
    return words + weight * Math.max(0, Math.min(1, share));
  });
}

/**
 * Reports whether any cosines could change the order of some texts: their scores, `among`, are closer to each other than the weight,
 * and there are enough texts, with these `scores`, for one to stand out.
 */
export function canReorder(
  scores: readonly number[],
  {
    among,
    weight = meaningWeight,
  }: { readonly among: readonly number[]; readonly weight?: number | undefined },
): boolean {
  if (scores.length < minTexts) return false;
  const best = Math.max(...scores);
  const words = among.map((score) => (best > 0 ? score / best : 0)).toSorted((a, b) => b - a);
  return words.some((score, at) => at > 0 && (words[at - 1] ?? 0) - score < weight);
}

/**
 * Returns the weight of a model by comparisons of texts that helped with others: 0 for one that agrees in half of them or
 * less, as chance does.
 */
export function learnedWeight({
  pairs,
  agreed,
}: {
  readonly pairs: number;
  readonly agreed: number;
}): number {
  const share = (agreed + prior.agreed) / (pairs + prior.pairs);
  return Math.max(0, Math.min(maxWeight, 2 * (share - 0.5)));
}

/** Returns how many of the other cosines' standard deviations one is above their average; 0 for too few. */
function deviations(cosines: readonly number[], at: number): number {
  if (cosines.length < minTexts) return 0;
  const others = cosines.filter((_, other) => other !== at);
  const mean = others.reduce((sum, one) => sum + one, 0) / others.length;
  const squares = others.reduce((sum, one) => sum + (one - mean) ** 2, 0);
  const spread = Math.max(minSpread, Math.sqrt(squares / (others.length - 1)));
  return ((cosines[at] ?? mean) - mean) / spread;
}
