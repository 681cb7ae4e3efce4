/**
 * Estimates of the chance and the cost of a model's next attempt at a task, learned from recorded attempts. By item response theory
 * a task has a difficulty θ and a model an ability b; the chance of a first attempt is σ(b − dθ).
 */

/** A model that may be called next. */
export interface Candidate {
  readonly model: string;
  /** Its place by price; 0 is the cheapest. */
  readonly rank: number;
  /** Dollars of a usual session by list prices. */
  readonly listUsd: number;
}

/** A judged attempt. */
export interface PastAttempt {
  readonly taskId: string;
  readonly model: string;
  readonly done: boolean;
  /** Null: unknown. */
  readonly usd: number | null;
  /** Identifies its error; null: none. */
  readonly signature: string | null;
}

/** A model's ability and price before its first attempt; the list price weighs as much as .3 attempts. */
const start = { ability: 0.2, abilityPerRank: 0.4, abilitySd: 0.7, priceWeight: 0.3 };
const points = 17;
const slope = 2.7;
/** The worth of the attempt of a model that has failed 0, 1, 2, … times at the task. */
const repeatWorth = [1, 0.6, 0.27, 0.2, 0.18] as const;
/** A repeat is worth more after an error that is new, less after the same one again. */
const errorFactor = { new: 1.5, same: 0.5 };
/** The usual prices weigh as much as so many attempts at the task. */
const priceShrinkage = 1.6;
const newton = { steps: 5, maxStep: 1, damping: 1 };
/** The weight of an attempt is multiplied by this with each later one of its model. */
const drift = 0.98;

/** How many of the latest attempts are worth reading: older ones weigh next to nothing. */
export const enoughAttempts = 300;

/** A value for each of the difficulties from −3 to 3. */
type Grid = Float64Array;

const thetas = Float64Array.from({ length: points }, (_, at) => -3 + (6 * at) / (points - 1));
/** The weights of the difficulties of a task before its first attempt: the standard normal distribution. */
const prior = normalize(thetas.map((theta) => Math.exp((-theta * theta) / 2)));

interface ModelState {
  readonly ability: number;
  readonly chances: Grid;
  readonly meanUsd: number;
  readonly meanLogUsd: number;
}

/** The state of each model. */
export type Knowledge = ReadonlyMap<string, ModelState>;

/** Returns the sum of the values. */
export function total(values: Grid): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

function normalize(weights: Grid): Grid {
  const sum = total(weights);
  return weights.map((weight) => weight / sum);
}

function chancesOf(ability: number): Grid {
  return thetas.map((theta) => 1 / (1 + Math.exp(slope * theta - ability)));
}

/** Returns the worth of the next attempt of a model, after so many `failures` of its own; `factor`: of `factorAfter`. */
export function worthAfter(failures: number, factor: number): number {
  const worth = repeatWorth[Math.min(failures, repeatWorth.length - 1)] ?? 0;
  return failures === 0 ? worth : Math.min(1, worth * factor);
}

/** Returns what the error of the last attempt at a task does to the worth of a repeat. */
export function factorAfter(history: readonly PastAttempt[]): number {
  const last = history.at(-1)?.signature ?? null;
  if (last === null || history.length < 2) return 1;
  return history.slice(0, -1).some(({ signature }) => signature === last)
    ? errorFactor.same
    : errorFactor.new;
}

interface Judged {
  readonly model: string;
  readonly done: boolean;
  readonly worth: number;
  readonly isFirst: boolean;
}

function judged(history: readonly PastAttempt[]): readonly Judged[] {
  return history.map(({ model, done }, at) => {
    const before = history.slice(0, at);
    const failures = before.filter((one) => one.model === model && !one.done).length;
    return { model, done, worth: worthAfter(failures, factorAfter(before)), isFirst: failures === 0 };
  });
}

type ChancesFor = (model: string) => Grid;

function weightsAfter(attempts: readonly Judged[], chancesFor: ChancesFor): Grid {
  const weights = prior.slice();
  for (const { model, done, worth } of attempts) {
    const chances = chancesFor(model);
    for (let at = 0; at < points; at++) {
      const chance = (chances[at] ?? 0) * worth;
      weights[at] = (weights[at] ?? 0) * (done ? chance : 1 - chance);
    }
  }
  return normalize(weights);
}

/** Returns the weights of the difficulties of a task after its attempts, oldest first. */
export function difficultyAfter(history: readonly PastAttempt[], known: Knowledge): Grid {
  return weightsAfter(judged(history), (model) => known.get(model)?.chances ?? chancesOf(start.ability));
}

/** Returns how many times dearer than others a task is by its attempts: a dear one stays dear. */
export function dearnessAfter(history: readonly PastAttempt[], known: Knowledge): number {
  let [sum, priced] = [0, 0];
  for (const { model, usd } of history) {
    const usual = known.get(model)?.meanLogUsd;
    if (usd === null || usd <= 0 || usual === undefined) continue;
    sum += Math.log(usd) - usual;
    priced += 1;
  }
  return Math.exp(sum / (priced + priceShrinkage));
}

/** Learns abilities and prices from `attempts`, oldest first. A model that is none of the candidates starts as a middle one. */
export function learn(attempts: readonly PastAttempt[], candidates: readonly Candidate[]): Knowledge {
  const byModel = grouped(attempts, ({ model }) => model);
  const models = new Set([...candidates.map(({ model }) => model), ...byModel.keys()]);
  const middle = candidates[Math.floor((candidates.length - 1) / 2)];
  const asStart = (model: string) => candidates.find((one) => one.model === model) ?? middle;
  const starts = new Map(
    [...models].map((model) => {
      const { ability, abilityPerRank } = start;
      return [model, ability + abilityPerRank * (asStart(model)?.rank ?? 1)] as const;
    }),
  );
  const tasks = [...grouped(attempts, ({ taskId }) => taskId).values()].map(judged).reverse();
  let abilities: Abilities = starts;
  for (let step = 0; step < newton.steps; step++) abilities = improve(abilities, starts, tasks);
  return new Map(
    [...abilities].map(([model, ability]) => {
      const price = priceOf(byModel.get(model) ?? [], asStart(model)?.listUsd ?? 1);
      return [model, { ability, chances: chancesOf(ability), ...price }];
    }),
  );
}

function grouped(
  attempts: readonly PastAttempt[],
  keyOf: (attempt: PastAttempt) => string,
): ReadonlyMap<string, readonly PastAttempt[]> {
  const groups = new Map<string, PastAttempt[]>();
  for (const attempt of attempts) {
    const key = keyOf(attempt);
    const group = groups.get(key);
    if (group) group.push(attempt);
    else groups.set(key, [attempt]);
  }
  return groups;
}

type Abilities = ReadonlyMap<string, number>;

/** Makes a Newton step towards the most likely abilities, by first attempts; `tasks`: latest first. */
function improve(abilities: Abilities, starts: Abilities, tasks: readonly (readonly Judged[])[]): Abilities {
  const chances = new Map([...abilities].map(([model, ability]) => [model, chancesOf(ability)]));
  const chancesFor: ChancesFor = (model) => chances.get(model) ?? prior;
  const sums = new Map([...abilities.keys()].map((model) => [model, { rise: 0, bend: 0, weight: 1 }]));
  for (const attempts of tasks) {
    const weights = weightsAfter(attempts, chancesFor);
    for (const { model, done, isFirst } of attempts) {
      const its = sums.get(model);
      if (isFirst && its) addEvidence(its, done, { weights, chances: chancesFor(model) });
    }
  }
  const precision = 1 / start.abilitySd ** 2;
  return new Map(
    [...abilities].map(([model, ability]) => {
      const { rise = 0, bend = 0 } = sums.get(model) ?? {};
      const pull = precision * (ability - (starts.get(model) ?? ability));
      const step = (rise - pull) / (bend + precision + newton.damping);
      return [model, ability + Math.max(-newton.maxStep, Math.min(newton.maxStep, step))];
    }),
  );
}

/** Sums of a model's log-likelihood: its first derivative by the ability, and its second one negated. */
interface Evidence {
  rise: number;
  bend: number;
  /** Of the next attempt, an older one. */
  weight: number;
}

function addEvidence(
  evidence: Evidence,
  done: boolean,
  { weights, chances }: { readonly weights: Grid; readonly chances: Grid },
): void {
  for (let at = 0; at < points; at++) {
    const [share, chance] = [evidence.weight * (weights[at] ?? 0), chances[at] ?? 0];
    evidence.rise += share * ((done ? 1 : 0) - chance);
    evidence.bend += share * chance * (1 - chance);
  }
  evidence.weight *= drift;
}

function priceOf(
  attempts: readonly PastAttempt[],
  listUsd: number,
): Pick<ModelState, "meanUsd" | "meanLogUsd"> {
  let weight = start.priceWeight;
  const sums = { usd: weight * listUsd, log: weight * Math.log(listUsd) };
  let share = 1;
  for (const { usd } of attempts.toReversed()) {
    if (usd === null || usd <= 0) continue;
    weight += share;
    sums.usd += share * usd;
    sums.log += share * Math.log(usd);
    share *= drift;
  }
  return { meanUsd: sums.usd / weight, meanLogUsd: sums.log / weight };
}
