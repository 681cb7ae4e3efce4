import type { SearchDocument } from "./document.ts";
import type { ExactEvidence } from "./exact-evidence.ts";
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

/** The mean evidence of tasks that have an answer, printed with the weights: what is below it is missing. */
const typicalSubject: Readonly<Record<keyof SubjectEvidence, number>> = {
  words: 1.59,
  describedWords: 0.62,
  rareWords: 1.1,
  matched: 3.39,
  similarity: 0.27,
  covered: 0.09,
  names: 0.17,
  unknown: 0.15,
  titleRarity: 1.56,
  described: 0.39,
  documents: 5.18,
  averageWords: 3.65,
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

type EvidenceKind = ExactEvidence["kind"] | "words";

/** Returns what the record of the project adds to the log odds that a document fits, by what would show it. */
export type RecordOdds = (document: SearchDocument, evidence: EvidenceKind) => number;

/** The estimate for one document. */
export interface Fit {
  /** Probability that it fits, 0 to 1. */
  readonly probability: number;
  /** The text or fact that is exactly the same in query and document, which is enough to show it; null for nothing. */
  readonly exact: string | null;
  /** The reason to show it: its words, or the kind of exact evidence. */
  readonly evidence: EvidenceKind;
  /** The log odds that the record of the project adds. */
  readonly record: number;
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

/**
 * Decides about documents, best first, which to show; each for itself. `among`: the number that was searched; `recordOdds`:
 * default 0.
 */
export function judgeFit(
  ranked: readonly { readonly document: SearchDocument; readonly parts: ScoreParts }[],
  context: ScoringContext,
  { among, recordOdds = () => 0 }: { readonly among: number; readonly recordOdds?: RecordOdds | undefined },
): Judgement | null {
  if (ranked.length === 0) return null;
  const first = ranked.slice(0, judged);
  const evidence = evidenceOf(first, context, among);
  const probability = probabilityOf(evidence.subject, subjectWeights);
  const lines = first.map(({ document }, at) => {
    const exact = evidence.exact[at] ?? null;
    const record = recordOdds(document, exact?.kind ?? "words");
    const own = evidence.lines[at];
    return { exact, record, line: withOdds(own ? probabilityOf(own, lineWeights) : 0, record) };
  });
  const best = Math.max(...lines.map(({ line }) => line));
  const fits = lines.map(({ exact, record, line }, at): Fit => {
    const subject = withOdds(probability, record);
    const fit = {
      probability: subject * line,
      exact: exact?.text ?? null,
      evidence: exact?.kind ?? ("words" as const),
      record,
      line,
      first: line === best,
      cost: costOf(ranked[at]),
    };
    return { ...fit, shown: isShown(subject, fit), rank: at + 1 };
  });
  return { probability, evidence, fits };
}

/** Returns a probability after `odds` is added to its log odds. */
function withOdds(probability: number, odds: number): number {
  if (odds === 0) return probability;
  const factor = Math.exp(odds);
  return (probability * factor) / (1 - probability + probability * factor);
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

/** Names of what a document lacks when a piece of evidence is below the typical. */
const lacks: Partial<Readonly<Record<keyof SubjectEvidence, string>>> = {
  words: "the words of the task",
  rareWords: "the rare words of the task",
  similarity: "a similar wording",
  covered: "a lesson that is mostly about the task",
  names: "an identifier, file, package or error code of the task",
  unknown: "lessons with the words of the title",
};
/** Minimum difference to the typical, in log odds, and maximum number of reasons. */
const explained = { difference: 0.25, reasons: 2 };

/** Describes what the documents that are not shown lack, most important first. */
export function missingEvidence({ probability, evidence: { subject }, fits }: Judgement): readonly string[] {
  if (probability >= thresholds.subject) {
    const record = fits.find(({ shown }) => !shown)?.record ?? 0;
    const isByRecord = record <= -explained.difference;
    return [isByRecord ? "a better record in this project" : "a fit as good as that of the shown ones"];
  }
  const names = Object.keys(lacks) as (keyof SubjectEvidence)[];
  return names
    .map((name) => ({
      name,
      difference: subjectWeights[name] * (typicalSubject[name] - subject[name]),
    }))
    .filter(({ difference }) => difference >= explained.difference)
    .toSorted((a, b) => b.difference - a.difference)
    .slice(0, explained.reasons)
    .flatMap(({ name }) => lacks[name] ?? []);
}
