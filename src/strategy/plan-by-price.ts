import { oneLine } from "../base/text.ts";
import type { Reader } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";
import { attemptsAt, latestAttempts } from "./attempt-history.ts";
import { chooseAttempt, type Offer, perSuccess } from "./choose-attempt.ts";
import { type Candidate, learn } from "./estimate.ts";
import { taskValueOf } from "./strategy-store.ts";

/** The facts that the strategy `adaptive` uses besides recorded attempts. */
export interface PriceSettings {
  /** Dollars of a usual session by list prices, by agent and model (`priceKey`); a model without one is not chosen. */
  readonly usualUsd: ReadonlyMap<string, number>;
  /** The value of a finished task in dollars; null: six mean attempts of the strongest model. */
  readonly taskValueUsd: number | null;
  readonly limits: { readonly maxAttempts: number };
}

/** Returns the key of a model in `PriceSettings.usualUsd`. */
export function priceKey(agent: string, model: string): string {
  return `${agent} ${model}`;
}

interface PriceRequest extends PriceSettings {
  readonly task: Task;
  readonly agent: string;
  readonly tiers: readonly string[];
}

/** The attempt that `adaptive` plans: the offers that decided, the chosen one first. */
export interface PricedPlan {
  readonly model: string;
  readonly rationale: string;
  readonly offers: readonly Offer[];
  /** The value of the finished task. */
  readonly valueUsd: number;
  /** Why no attempt is worth its price, for a person; null: one is. */
  readonly giveUp: string | null;
}

/** A task without a stated value is worth so many mean attempts of the strongest model. */
const strongAttempts = 6;

/** Plans the attempt with the lowest expected cost per verified task (STRAT-5); null: fewer than two models have known prices. */
export async function planByPrice(q: Reader, request: PriceRequest): Promise<PricedPlan | null> {
  const { task, tiers, limits } = request;
  const candidates = candidatesOf(request);
  if (candidates.length < 2) return null;
  const known = learn(await latestAttempts(q, request), candidates);
  const history = await attemptsAt(q, task, request);
  const strongest = candidates.at(-1)?.model ?? tiers[0] ?? "";
  const usual = strongAttempts * (known.get(strongest)?.meanUsd ?? 0);
  const valueUsd = (await taskValueOf(q, task.id)) ?? request.taskValueUsd ?? usual;
  const left = limits.maxAttempts > 0 ? Math.max(1, limits.maxAttempts - history.length) : null;
  const { best, offers } = chooseAttempt(known, { candidates, history, valueUsd, left });
  const [cheapest] = offers;
  const chosen = best ?? cheapest;
  if (!chosen) return null;
  const others = offers.filter(({ model }) => model !== chosen.model);
  const giveUp = best ? null : tooDear(perSuccess(chosen), valueUsd, task.id);
  return {
    model: chosen.model,
    rationale: rationaleOf(chosen, others),
    offers: [chosen, ...others],
    valueUsd,
    giveUp,
  };
}

function candidatesOf({ agent, tiers, usualUsd }: PriceRequest): readonly Candidate[] {
  return [...new Set(tiers)]
    .flatMap((model) => {
      const listUsd = usualUsd.get(priceKey(agent, model));
      return listUsd === undefined ? [] : [{ model, listUsd }];
    })
    .map((candidate, rank) => ({ ...candidate, rank }));
}

/** Returns the numbers that decided: `haiku: 41% for $0.05 = $0.12 per success; sonnet $0.31`. */
function rationaleOf(chosen: Offer, others: readonly Offer[]): string {
  const chance = Math.round(100 * chosen.chance);
  const share = chance === 0 ? "under 1%" : `${chance}%`;
  const first = `${oneLine(chosen.model)}: ${share} for ${dollars(chosen.usd)} = ${dollars(perSuccess(chosen))} per success`;
  return [first, ...others.map((offer) => `${oneLine(offer.model)} ${dollars(perSuccess(offer))}`)].join(
    "; ",
  );
}

function tooDear(usd: number, valueUsd: number, taskId: string): string {
  const enough = Math.ceil(usd * 1.05);
  return `the next attempt's expected ${dollars(usd)} per success exceeds the task's value ${dollars(valueUsd)} (ralph task retry ${taskId} --value ${enough})`;
}

function dollars(usd: number): string {
  if (usd >= 100) return `$${usd.toFixed(0)}`;
  return usd > 0 && usd < 0.095
    ? `$${Number(usd.toPrecision(2)).toFixed(usd < 0.0095 ? 4 : 2)}`
    : `$${usd.toFixed(2)}`;
}
