import type { UseCounts } from "./learning.ts";

/** Both parameters of the prior, Beta(2, 2): neutral, and as strong as four verdicts. */
const priorWeight = 2;
/** Upper limit of the evidence, so that new evidence can still change the estimate. */
const maxEvidence = 40;
/** With fewer impressions a learning counts as untried and is never ranked below neutral. */
const minImpressions = 3;
/** Half the standard deviation of the prior, √0.05, so that an unknown learning has a standing of 0.5. */
const neutralBonus = Math.sqrt(0.05) / 2;

/** A learning's estimated usefulness. To be shown at a success or a failure is no evidence of either. */
export interface Usefulness {
  /** Mean of the posterior, 0 to 1; 0.5 when nothing is known. */
  readonly mean: number;
  /** Its standard deviation. */
  readonly deviation: number;
  /** The value used for ranking, 0.25 to 0.9: optimistic with little evidence, and never so low that it cannot recover. */
  readonly standing: number;
}

/** Computes the bounded Beta posterior of a learning's usefulness (LEARN-6). Pure. */
export function usefulnessOf(counts: UseCounts): Usefulness {
  const good = counts.saidHelpful;
  const bad = counts.saidHarmful;
  const evidence = good + bad;
  const scale = evidence > maxEvidence ? maxEvidence / evidence : 1;
  const a = priorWeight + good * scale;
  const b = priorWeight + bad * scale;
  const mean = a / (a + b);
  const deviation = Math.sqrt((a * b) / ((a + b) ** 2 * (a + b + 1)));
  // Above the mean, so that a learning with little evidence is tried.
  const optimistic = mean + deviation / 2 - neutralBonus;
  const tried = counts.timesShown >= minImpressions || counts.saidHarmful > 0;
  return { mean, deviation, standing: Math.min(0.9, Math.max(tried ? 0.25 : 0.5, optimistic)) };
}
