import type { ModelPrices } from "../base/shared-settings.ts";
import type { Agent } from "./port/agent.ts";
import type { OfferedModel, TokenPrice } from "./port/model-offer.ts";

/** A session of an agent at a task of usual size. */
const usualSession = { input: 20_000, output: 10_000, cacheRead: 800_000, cacheWrite: 60_000 };

/** Returns the list price in dollars of a usual session, for each tier whose model the price table has. */
export async function usualPrices(
  { tiers }: Pick<Agent, "tiers">,
  { now, own }: { readonly now: Date; readonly own: ModelPrices },
): Promise<ReadonlyMap<string, number>> {
  // On demand: the table takes 30 ms to load.
  const { listPrice } = await import("./session/list-price.ts");
  const prices = new Map<string, number>();
  for (const tier of tiers) {
    const usd = listPrice({ model: tier, tokens: usualSession, contextUsed: null, now, own });
    if (usd !== null && usd > 0) prices.set(tier, usd);
  }
  return prices;
}

const million = 1e6;
const noTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** Returns the price of a model: the person's own, else the agent's, else that of the price table; null: none has it. */
export async function pricePerMillion(
  { name, means, price }: Pick<OfferedModel, "name" | "means" | "price">,
  { now, own }: { readonly now: Date; readonly own: ModelPrices },
): Promise<TokenPrice | null> {
  const { listPrice } = await import("./session/list-price.ts");
  const at = (tokens: Partial<typeof noTokens>): number | null =>
    listPrice({ model: means ?? name, tokens: { ...noTokens, ...tokens }, contextUsed: null, now, own });
  const isOwn = [name, means ?? name].some((one) => Object.hasOwn(own, one));
  if (price && !isOwn) return price;
  const [input, output] = [at({ input: million }), at({ output: million })];
  return input === null || output === null ? null : { input, output };
}
