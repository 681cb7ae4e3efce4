import {
  type Candidate,
  dearnessAfter,
  difficultyAfter,
  factorAfter,
  type Knowledge,
  type PastAttempt,
  total,
  worthAfter,
} from "./estimate.ts";

/** A model's next attempt at a task. */
export interface Offer {
  readonly model: string;
  /** That the work is verified. */
  readonly chance: number;
  /** Its expected cost. */
  readonly usd: number;
}

interface Choice {
  /** Null: no model is worth its price. */
  readonly best: Offer | null;
  /** The least dollars per success first. */
  readonly offers: readonly Offer[];
}

interface Situation {
  /** At least one. */
  readonly candidates: readonly Candidate[];
  /** The judged attempts at the task, oldest first. */
  readonly history: readonly PastAttempt[];
  /** The value of the finished task. */
  readonly valueUsd: number;
  /** The attempts that are left to the task; null: any number. */
  readonly left: number | null;
}

/** The most attempts that a plan looks ahead. */
const horizon = 6;

/** Chooses the attempt that begins the best plan: the one with the highest expected value of verified work minus all costs. */
export function chooseAttempt(known: Knowledge, situation: Situation): Choice {
  const { candidates, history, valueUsd, left } = situation;
  const difficulty = difficultyAfter(history, known);
  const dearness = dearnessAfter(history, known);
  const factor = factorAfter(history);
  const arms = candidates.map(({ model, listUsd }) => {
    const { chances, meanUsd = listUsd } = known.get(model) ?? {};
    const failures = history.filter((one) => one.model === model && !one.done).length;
    return { model, chances: chances ?? difficulty, usd: meanUsd * dearness, failures };
  });
  const offers = arms.map(({ model, chances, usd, failures }) => {
    const share = difficulty.map((weight, at) => weight * (chances[at] ?? 0));
    return { model, usd, chance: total(share) * worthAfter(failures, factor) };
  });
  const search = { arms, factor, valueUsd, found: new Map<string, Best>() };
  const none = arms.map(() => 0);
  const { arm } = bestFrom(search, {
    weights: difficulty,
    counts: none,
    left: Math.min(left ?? horizon, horizon),
  });
  return {
    best: arm === null ? null : (offers[arm] ?? null),
    offers: offers.toSorted((a, b) => perSuccess(a) - perSuccess(b)),
  };
}

/** Returns the expected dollars per success. */
export function perSuccess({ usd, chance }: Offer): number {
  return usd / chance;
}

interface Arm {
  readonly chances: Float64Array;
  readonly usd: number;
  readonly failures: number;
}

interface Best {
  readonly value: number;
  /** Null: give up. */
  readonly arm: number | null;
}

interface Search {
  readonly arms: readonly Arm[];
  readonly factor: number;
  readonly valueUsd: number;
  /** By the attempts made before: their order does not matter. */
  readonly found: Map<string, Best>;
}

/** A point of a plan that is reached when all attempts before it have failed. */
interface Point {
  /** Of the difficulties, times the probability of this point. */
  readonly weights: Float64Array;
  /** The attempts before it, by arm. */
  readonly counts: readonly number[];
  readonly left: number;
}

function bestFrom(search: Search, { weights, counts, left }: Point): Best {
  const key = counts.join(" ");
  const known = search.found.get(key);
  if (known) return known;
  let best: Best = { value: 0, arm: null };
  const probability = total(weights);
  for (const [arm, { chances, usd, failures }] of left === 0 ? [] : search.arms.entries()) {
    const worth = worthAfter(failures + (counts[arm] ?? 0), search.factor);
    const failing = weights.map((weight, at) => weight * (1 - (chances[at] ?? 0) * worth));
    const now = (probability - total(failing)) * search.valueUsd - probability * usd;
    const then = counts.map((n, at) => (at === arm ? n + 1 : n));
    const value = now + bestFrom(search, { weights: failing, counts: then, left: left - 1 }).value;
    if (value > best.value) best = { value, arm };
  }
  search.found.set(key, best);
  return best;
}
