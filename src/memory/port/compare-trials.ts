import { sha256 } from "../../base/hash.ts";
import { anytimeQuantile, attemptsDifference, type Interval, newcombe, wilson } from "./intervals.ts";

/** Minimum number of attempts on each side for a comparison. */
const minAttempts = 10;

/** The attempts with memory, or those without. */
interface LiftSide {
  readonly attempts: number;
  readonly tasks: number;
  readonly verified: number;
  /** Verified successes per attempt; null without attempts. */
  readonly rate: number | null;
  readonly interval: Interval | null;
  /** Attempts for each verified success; null without one. */
  readonly attemptsPerTask: number | null;
}

/** The lift of a sort of memory: attempts whose prompt showed it, compared with held-out ones (LEARN-6). */
export interface Comparison {
  readonly enough: boolean;
  readonly with: LiftSide;
  readonly without: LiftSide;
  /** Success rate with memory minus the rate without. */
  readonly difference: { readonly value: number; readonly interval: Interval } | null;
  /** Attempts per finished task with memory minus those without; below 0, memory saves attempts. */
  readonly attemptsDifference: { readonly value: number; readonly interval: Interval } | null;
  readonly least: number;
  readonly method: string;
}

/** A judged attempt for which memory had something to show. */
export interface JudgedTrial {
  readonly task: string;
  readonly heldOut: boolean;
  readonly passed: boolean;
}

const method =
  "Only iterations for which memory had something to show. Success rate: verified successes per attempt; attempts per task: attempts per verified success. Differences with Newcombe's hybrid score interval (1998, method 10), 95% however often you look (asymptotic confidence sequence).";

/** Compares the attempts that were shown memory with the held-out ones. */
export function compareTrials(trials: readonly JudgedTrial[]): Comparison {
  const [shown, held] = [trials.filter(({ heldOut }) => !heldOut), trials.filter(({ heldOut }) => heldOut)];
  const sides = { with: sideOf(shown), without: sideOf(held) };
  const enough = shown.length >= minAttempts && held.length >= minAttempts;
  const plain = { enough, ...sides, least: minAttempts, method };
  if (!enough) return { ...plain, difference: null, attemptsDifference: null };
  const [a, b] = [sides.with, sides.without];
  const [one, other] = [
    { hits: a.verified, n: a.attempts },
    { hits: b.verified, n: b.attempts },
  ];
  const value = (a.attemptsPerTask ?? 0) - (b.attemptsPerTask ?? 0);
  const interval = (): Interval => attemptsDifference(one, other, anytimeQuantile(one, other));
  return {
    ...plain,
    difference: differenceOf(one, other),
    attemptsDifference: one.hits * other.hits > 0 ? { value, interval: interval() } : null,
  };
}

/** The judged attempts of a project: those that were shown memory, the held-out ones, and the verified successes of each. */
export interface TrialCounts {
  readonly shown: number;
  readonly shownPassed: number;
  readonly held: number;
  readonly heldPassed: number;
}

/** Compares the attempts of several projects by their counts; `difference` is null below the minimum on a side. */
export function compareCounts(
  all: readonly TrialCounts[],
): TrialCounts & Pick<Comparison, "difference"> & { readonly projects: number } {
  const sum = (of: keyof TrialCounts): number => all.reduce((total, counts) => total + counts[of], 0);
  const counts = {
    ...{ shown: sum("shown"), shownPassed: sum("shownPassed") },
    ...{ held: sum("held"), heldPassed: sum("heldPassed") },
  };
  const one = { hits: counts.shownPassed, n: counts.shown };
  const other = { hits: counts.heldPassed, n: counts.held };
  const enough = one.n >= minAttempts && other.n >= minAttempts;
  return { ...counts, projects: all.length, difference: enough ? differenceOf(one, other) : null };
}

type Share = { readonly hits: number; readonly n: number };

function differenceOf(a: Share, b: Share): NonNullable<Comparison["difference"]> {
  return { value: a.hits / a.n - b.hits / b.n, interval: newcombe(a, b, anytimeQuantile(a, b)) };
}

function sideOf(trials: readonly JudgedTrial[]): LiftSide {
  const attempts = trials.length;
  const verified = trials.filter(({ passed }) => passed).length;
  return {
    attempts,
    tasks: new Set(trials.map(({ task }) => task)).size,
    verified,
    rate: attempts > 0 ? verified / attempts : null,
    interval: attempts > 0 ? wilson(verified, attempts) : null,
    attemptsPerTask: verified > 0 ? attempts / verified : null,
  };
}

/** Reports whether an iteration is held out. Draws the share `share` of iterations, reproducibly for a run. */
export function isHeldOut(share: number, runId: string, iteration: number): boolean {
  if (share <= 0) return false;
  const draw = Number.parseInt(sha256(`${runId} ${iteration}`).slice(0, 8), 16) / 2 ** 32;
  return draw < share;
}
