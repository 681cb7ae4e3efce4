// Replays recorded attempts through the product's own strategies: each order of the tasks begins from weak priors.

import { chooseAttempt } from "../../src/strategy/choose-attempt.ts";
import { chooseModel } from "../../src/strategy/choose-model.ts";
import { type Candidate, enoughAttempts, learn, type PastAttempt } from "../../src/strategy/estimate.ts";

/** A model's recorded attempts. */
export interface Arm {
  readonly name: string;
  readonly listUsd: number;
  usd(task: number): number;
  /** The chance that attempt `n` at the task passes, from 0, after as many failures. */
  chance(task: number, n: number): number;
}

/** Three models, cheap to strong, on the same tasks. */
export interface Setting {
  readonly name: string;
  readonly tasks: number;
  readonly arms: readonly Arm[];
}

export interface Result {
  readonly solved: number;
  readonly usd: number;
}

const maxAttempts = 6;
export const ladders = { MMSSS: [1, 1, 2, 2, 2], CCMMSS: [0, 0, 1, 1, 2, 2] } as const;

/** Returns the exact expectation of a fixed ladder. */
export function ladder({ tasks, arms }: Setting, steps: readonly number[]): Result {
  let [solved, usd] = [0, 0];
  for (let task = 0; task < tasks; task++) {
    let left = 1;
    for (const [at, step] of steps.entries()) {
      const arm = arms[step];
      if (!arm) continue;
      usd += left * arm.usd(task);
      const passes = left * arm.chance(task, steps.slice(0, at).filter((one) => one === step).length);
      solved += passes;
      left -= passes;
    }
  }
  return { solved, usd };
}

/** Returns the ladder that the product's `escalate` climbs. */
export function escalateSteps(): readonly number[] {
  const none = {
    flagModel: null,
    iteration: 1,
    recent: { done: 0, total: 0 },
    similar: [],
    nextModel: null,
    byPrice: null,
  };
  return Array.from({ length: maxAttempts }, (_, failures) => {
    const facts = {
      ...none,
      strategy: "escalate",
      tiers: ["0", "1", "2"],
      defaultModel: "1",
      escalateAfter: 2,
      failures,
    } as const;
    return Number(chooseModel(facts).model);
  });
}

/** Returns what the cheapest model that solves each task at once would cost. */
export function oracle({ tasks, arms }: Setting): Result {
  let [solved, usd] = [0, 0];
  for (let task = 0; task < tasks; task++) {
    const prices = arms.filter((arm) => arm.chance(task, 0) === 1).map((arm) => arm.usd(task));
    if (prices.length === 0) continue;
    solved += 1;
    usd += Math.min(...prices);
  }
  return { solved, usd };
}

/** Returns numbers from 0 to 1 that a seed determines. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Replays `adaptive` over the tasks in the order of `seed`; a task is worth `value` mean strong attempts. */
export function adaptive({ tasks, arms }: Setting, seed: number, value: number): Result {
  const random = generator(seed);
  const order = Array.from({ length: tasks }, (_, task) => ({ task, at: random() })).sort(
    (a, b) => a.at - b.at,
  );
  const candidates: readonly Candidate[] = arms.map(({ name: model, listUsd }, rank) => ({
    model,
    listUsd,
    rank,
  }));
  const past: PastAttempt[] = [];
  let [solved, usd] = [0, 0];
  for (const { task } of order) {
    const known = learn(past.slice(-enoughAttempts), candidates);
    const valueUsd = value * (known.get(candidates.at(-1)?.model ?? "")?.meanUsd ?? 0);
    const history: PastAttempt[] = [];
    while (history.length < maxAttempts && !history.at(-1)?.done) {
      const left = maxAttempts - history.length;
      const { best } = chooseAttempt(known, { candidates, history, valueUsd, left });
      const arm = arms.find(({ name }) => name === best?.model);
      if (!arm) break;
      const failures = history.filter(({ model }) => model === arm.name).length;
      const done = random() < arm.chance(task, failures);
      usd += arm.usd(task);
      solved += done ? 1 : 0;
      history.push({ taskId: String(task), model: arm.name, done, usd: arm.usd(task), signature: null });
    }
    past.push(...history);
  }
  return { solved, usd };
}
