import type { SearchDocument } from "./document.ts";
import { type Evidence, evidenceOf, type LineEvidence, type SubjectEvidence } from "./fit-evidence.ts";
import type { ScoreParts, ScoringContext } from "./score.ts";

/** Weights of a logistic regression: the log odds are their sum, each times its evidence. */
export type Weights<T> = Readonly<Record<keyof T | "constant", number>>;

/**
 * Weights of the probability that the searched documents hold something for the query, if half of all queries have something.
 * Fitted on the public sets and the tune halves of `bench/own` by `npm run bench:silence -- DIR --fit`, which prints them (docs/decisions/0015).
 */
export const subjectWeights: Weights<SubjectEvidence> = {
  constant: 2.76,
  words: 1.72,
  describedWords: 1.95,
  rareWords: 3.37,
  matched: -1.81,
  similarity: 20.16,
  covered: 16.8,
  names: 4.93,
  unknown: -3.96,
  titleRarity: 1.07,
  described: -2.34,
  documents: -0.82,
  averageWords: -0.37,
};

/** Weights of the probability that a document is the one that fits, if any does. */
export const lineWeights: Weights<LineEvidence> = {
  constant: 1.29,
  shareOfBest: 1.42,
  shareOfRare: 0.57,
  rank: -1.74,
};

/** Minimum probabilities to show a document. */
export interface Thresholds {
  /** That anything fits: then the most probable document is shown. */
  readonly subject: number;
  /** That a document of the usual length is the one that fits, if any does: then it is shown beside the first. */
  readonly line: number;
}

/**
 * A false silence costs more than a superfluous line. Chosen on the public sets and the tune halves of `bench/own`
 * (docs/benchmarks.md).
 */
export const thresholds: Thresholds = { subject: 0.245, line: 0.124 };

/** Characters of a line besides its lesson, of a usual lesson, and the most that a line shows of one. */
const lineChars = { frame: 60, usual: 120, max: 280 };

/** Documents, best first, whose probability is estimated; others are improbable. */
const judged = 30;

/** The estimate for one document. */
export interface Fit {
  /** Probability that it fits, 0 to 1. */
  readonly probability: number;
  /** The text or fact that is exactly the same in query and document, which is enough to show it; null for nothing. */
  readonly exact: string | null;
  readonly shown: boolean;
  /** Probability that it is the one that fits, if any does. */
  readonly line: number;
  /** More probable than all others. */
  readonly first: boolean;
  /** Its characters in a prompt, relative to a usual line. */
  readonly cost: number;
  /** Its rank by score, from 1. */
  readonly rank: number;
}

export interface Judgement {
  /** Probability that any document fits, 0 to 1. */
  readonly probability: number;
  readonly evidence: Evidence;
  /** Of the first documents, in their order. */
  readonly fits: readonly Fit[];
}

/** Decides about documents, best first, which to show; each for itself. `among`: the number that was searched. */
export function judgeFit(
  ranked: readonly { readonly document: SearchDocument; readonly parts: ScoreParts }[],
  context: ScoringContext,
  among: number,
): Judgement | null {
  if (ranked.length === 0) return null;
  const first = ranked.slice(0, judged);
  const evidence = evidenceOf(first, context, among);
  const probability = probabilityOf(evidence.subject, subjectWeights);
  const lines = evidence.lines.map((own) => probabilityOf(own, lineWeights));
  const best = Math.max(...lines);
  const fits = lines.map((line, at): Fit => {
    const exact = evidence.exact[at] ?? null;
    const fit = {
      probability: probability * line,
      exact,
      line,
      first: line === best,
      cost: costOf(ranked[at]),
    };
    return { ...fit, shown: isShown(probability, fit), rank: at + 1 };
  });
  return { probability, evidence, fits };
}

/** Decides whether to show a document. `probability`: that any document fits. */
export function isShown(
  probability: number,
  { exact, line, first, cost }: Pick<Fit, "exact" | "line" | "first" | "cost">,
  least: Thresholds = thresholds,
): boolean {
  if (exact !== null) return true;
  // With the whole cost the golds of long lessons are lost: a lesson twice as long is not half as useful.
  return probability >= least.subject && (first || line >= least.line * Math.sqrt(cost));
}

function costOf(ranked: { readonly document: SearchDocument } | undefined): number {
  const { title, body } = ranked?.document ?? { title: "", body: "" };
  const chars = Math.min(lineChars.max, title.length || body.length);
  return (lineChars.frame + chars) / (lineChars.frame + lineChars.usual);
}

/** Returns the probability by a logistic regression. */
export function probabilityOf<T extends { readonly [K in keyof T]: number }>(
  evidence: T,
  weights: Weights<T>,
): number {
  let odds = weights.constant;
  for (const name of Object.keys(evidence) as (keyof T)[]) odds += weights[name] * evidence[name];
  return 1 / (1 + Math.exp(-odds));
}
