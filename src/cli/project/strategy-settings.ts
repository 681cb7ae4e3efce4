import type { Agent } from "../../agents/port/agent.ts";
import { usualPrices } from "../../agents/usual-price.ts";
import type { Settings } from "../../config/settings.ts";
import type { PlanSettings } from "../../strategy/plan-attempt.ts";
import { priceKey } from "../../strategy/plan-by-price.ts";

type Chosen = Pick<PlanSettings, "strategy" | "flagModel" | "usualUsd" | "taskValueUsd">;

/** Returns the strategy in force: `adaptive` becomes `escalate` where no agent has two models with known prices (STRAT-2). */
export async function strategyOf(settings: Settings, agents: readonly Agent[], now: Date): Promise<Chosen> {
  const { strategy, taskValueUsd, model: flagModel } = settings;
  const usualUsd = new Map<string, number>();
  const none = { strategy, flagModel, taskValueUsd, usualUsd };
  if (strategy !== "adaptive" || flagModel !== null) return none;
  let known = 0;
  for (const agent of agents) {
    const prices = await usualPrices(agent, { now, own: settings.prices });
    for (const [tier, usd] of prices) usualUsd.set(priceKey(agent.name, tier), usd);
    known = Math.max(known, prices.size);
  }
  return known < 2 ? { ...none, strategy: "escalate" } : none;
}
