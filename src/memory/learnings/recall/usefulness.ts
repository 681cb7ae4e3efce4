import type { UseCounts } from "../learning.ts";

/** A verdict weighs as much as so many mere showings: being there when something succeeded says little. */
const impressionWeight = 0.25;
/** The prior Beta(2, 2): neutral, and worth four verdicts. */
const priorWeight = 2;
/** More evidence than this counts as this much, so that a learning can still change its standing. */
const maxEvidence = 40;
/** Under so many showings a learning is untried and never ranks as worse than neutral. */
const untriedImpressions = 3;
/** Half the deviation of the prior, √0.05, so that a learning of which nothing is known stands at 0.5. */
const neutralBonus = Math.sqrt(0.05) / 2;

/** The standing of a learning by what verified outcomes said of it. */
export interface Usefulness {
  /** Mean of the posterior, 0 to 1; 0.5 when nothing is known. */
  readonly mean: number;
  /** Its standard deviation. */
  readonly deviation: number;
  /** 0.25 to 0.9: what ranking goes by. Optimistic where little is known, and never so low that it cannot come back. */
  readonly standing: number;
}

/** The bounded Beta posterior of a learning's usefulness (LEARN-6). Pure. */
export function usefulnessOf(counts: UseCounts): Usefulness {
  const good = counts.saidHelpful + impressionWeight * counts.shownPassed;
  const bad = counts.saidHarmful + impressionWeight * counts.shownFailed;
  const evidence = good + bad;
  const scale = evidence > maxEvidence ? maxEvidence / evidence : 1;
  const a = priorWeight + good * scale;
  const b = priorWeight + bad * scale;
  const mean = a / (a + b);
  const deviation = Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1)));
  // The upper side of the posterior: what was seldom tried gets the benefit of the doubt.
  const hopeful = mean + deviation / 2 - neutralBonus;
  const tried = counts.timesShown >= untriedImpressions || counts.saidHarmful > 0;
  return { mean, deviation, standing: Math.min(0.9, Math.max(tried ? 0.25 : 0.5, hopeful)) };
}
