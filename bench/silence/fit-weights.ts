import type { LineEvidence, SubjectEvidence } from "../../src/search/fit-evidence.ts";
import {
  lineWeights,
  probabilityOf,
  subjectWeights,
  thresholds,
  type Weights,
} from "../../src/search/fit-probability.ts";
import type { Asked, AskOptions } from "./ask-stores.ts";
import { fitLogistic, type Sample } from "./logistic.ts";

/** Other draws than those that the benchmark measures, and sizes beyond, so that the weights hold between and outside. */
export const fitOptions: AskOptions = { sizes: [30, 100, 300, 1000], tasks: 60, foreign: 10, seed: 7 };

/** Lines of a task that the weights of lines are fitted on: as many as a prompt has room for. */
const linesPerTask = 5;
const foundRanks = 3;

export interface Fitted {
  readonly subject: Weights<SubjectEvidence>;
  readonly line: Weights<LineEvidence>;
  /** False and foreign silence of each set at the threshold of the product, with weights fitted on the other sets. */
  readonly leftOut: Readonly<
    Record<string, { readonly falseSilence: number; readonly foreignSilence: number }>
  >;
}

/** Fits the weights of both probabilities. `related`: the sets that share documents with a set, itself included. */
export function fitWeights(asked: readonly Asked[], related: (set: string) => ReadonlySet<string>): Fitted {
  const sets = [...new Set(asked.map(({ set }) => set))];
  const subject = fitSubject(asked);
  const leftOut = sets.map((set) => {
    const weights = fitSubject(asked.filter((one) => !related(set).has(one.set)));
    const isSilent = ({ evidence }: Asked): boolean =>
      evidence === null ||
      (probabilityOf(evidence.subject, weights) < thresholds.subject &&
        !evidence.exact.some((exact) => exact !== null));
    const silence = (group: readonly Asked[]): number => group.filter(isSilent).length / group.length;
    const own = asked.filter((one) => one.set === set);
    return [
      set,
      {
        falseSilence: silence(own.filter((one) => !one.foreign && isFound(one))),
        foreignSilence: silence(own.filter(({ foreign }) => foreign)),
      },
    ] as const;
  });
  const drawn = asked.filter(({ written }) => !written);
  return { subject, line: fitLine(drawn), leftOut: Object.fromEntries(leftOut) };
}

const isFound = ({ ranked }: Asked): boolean => ranked.slice(0, foundRanks).includes(true);

/** Tasks that have an answer in the first ranks, against tasks of other projects. */
function fitSubject(asked: readonly Asked[]): Weights<SubjectEvidence> {
  const usable = asked.filter((one) => one.evidence !== null && (one.foreign || isFound(one)));
  const samples = weighed(usable).flatMap(({ one, weight }): readonly Sample<SubjectEvidence>[] => {
    const values = one.evidence?.subject;
    return values ? [{ values, positive: !one.foreign, weight }] : [];
  });
  return fitLogistic(samples, namesOf(subjectWeights)) as Weights<SubjectEvidence>;
}

/** The first documents of tasks that have an answer in the first ranks. */
function fitLine(asked: readonly Asked[]): Weights<LineEvidence> {
  const usable = asked.filter((one) => one.evidence !== null && !one.foreign && isFound(one));
  const samples = weighed(usable).flatMap(({ one, weight }): readonly Sample<LineEvidence>[] =>
    (one.evidence?.lines ?? [])
      .slice(0, linesPerTask)
      .map((values, at) => ({ values, positive: one.ranked[at] ?? false, weight })),
  );
  return fitLogistic(samples, namesOf(lineWeights)) as Weights<LineEvidence>;
}

function namesOf<T>(weights: Weights<T>): readonly (keyof T & string)[] {
  return Object.keys(weights).filter((name) => name !== "constant") as (keyof T & string)[];
}

/**
 * Lets each set and condition count the same, its own tasks as much as foreign ones: half of all tasks have an answer. Then
 * levels the errors of the conditions: large stores and lessons as developers write them are assumed to have one more often.
 */
function weighed(asked: readonly Asked[]): readonly { readonly one: Asked; readonly weight: number }[] {
  // Of the lessons as developers write them, few tasks have a description, and stores of a part differ by one lesson.
  const keyOf = ({ set, size, lessons, described, foreign, written }: Asked): string =>
    JSON.stringify(
      written ? [set, Math.floor(size / 10), foreign] : [set, size, lessons, described, foreign],
    );
  const counts = new Map<string, number>();
  for (const one of asked) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return asked.map((one) => ({ one, weight: (20 * priorOf(one)) / (counts.get(keyOf(one)) ?? 1) }));
}

/**
 * Added to the log odds of the prior: for large stores of the public sets, and for lessons as developers write them, where
 * the rare words of a task are often in none.
 */
const level = { large: 0.4, written: 1 };
/** Documents of a large store. */
const largeSize = 300;

function priorOf({ size, foreign, written }: Asked): number {
  const odds = written ? level.written : size >= largeSize ? level.large : 0;
  return Math.exp((foreign ? -odds : odds) / 2);
}
