import type { Reader } from "../../store/port/db.ts";
import type { Comparison } from "../port/compare-trials.ts";
import { measureLift, measureSilence } from "./lift.ts";
import type { UseCounts } from "./store/learning.ts";

/**
 * The log odds that the outcomes of the project add to the probability that a learning fits (LEARN-11). Bounded, so that a record changes
 * what is shown in close cases only.
 */
export interface FitRecord {
  /** By hold-outs: above 0 where showing learnings helped. */
  readonly overall: number;
  /** By the kind of evidence that showed a learning, from the verdicts on those. */
  readonly byEvidence: ReadonlyMap<string, number>;
}

/** Limits in log odds: 1 turns a probability of .27 into .5, .5 one of .38. */
const maxShift = { lesson: 1, evidence: 0.7, holdOut: 0.5 };
/** Verdicts of each sort that every kind of evidence begins with. */
const priorVerdicts = 4;
/** An impression without a verdict counts as this share of a harmful one: agents report little. */
const ignoredShare = 0.05;
/** Attempts on the smaller side at which a measured difference counts by half. */
const halfTrusted = 40;

/**
 * Returns the record of a project; zeros for one without outcomes. A learning that was shown to measure the silence was not
 * shown by its evidence: verdicts on it do not count.
 */
export async function readFitRecord(q: Reader): Promise<FitRecord> {
  const rows = await q.all<{ evidence: string; helpful: number; harmful: number }>(
    `SELECT i.evidence,
       SUM(CASE WHEN i.verdict = 'helpful' AND t.outcome = 'done' AND t.verification = 'passed' THEN 1 ELSE 0 END) AS helpful,
       SUM(CASE WHEN i.verdict = 'harmful' THEN 1 ELSE 0 END) AS harmful
     FROM memory_injections i JOIN memory_trials t ON t.iteration_id = i.iteration_id
     WHERE i.held_out = 0 AND t.silenced = 0 AND i.verdict IS NOT NULL AND i.evidence IS NOT NULL GROUP BY i.evidence`,
  );
  const byEvidence = rows.map(({ evidence, helpful, harmful }): [string, number] => {
    const odds = Math.log((Number(helpful) + priorVerdicts) / (Number(harmful) + priorVerdicts));
    return [evidence, bounded(odds, maxShift.evidence)];
  });
  const overall = shiftOf(await measureLift(q)) + shiftOf(await measureSilence(q));
  return { overall: bounded(overall, maxShift.holdOut), byEvidence: new Map(byEvidence) };
}

/** Returns what a learning's own record adds: verdicts count most, many impressions without one a little. */
export function lessonShift(counts: UseCounts): number {
  const [helpful, harmful] = [counts.saidHelpful, counts.saidHarmful];
  const ignored = Math.max(0, counts.timesShown - helpful - harmful);
  const odds = Math.log((1 + helpful) / (1 + harmful + ignoredShare * ignored));
  return bounded(odds, maxShift.lesson);
}

/** Returns the shift by a measured difference of success rates; 0 without enough attempts. */
function shiftOf({ difference, with: shown, without: held }: Comparison): number {
  if (difference === null) return 0;
  const attempts = Math.min(shown.attempts, held.attempts);
  return (2 * difference.value * attempts) / (attempts + halfTrusted);
}

function bounded(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}
