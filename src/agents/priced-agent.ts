import type { ModelPrices } from "../base/shared-settings.ts";
import type { Agent, AgentResult } from "./port/agent.ts";
import { maxSessionUsd } from "./session/session-result.ts";

/** A session whose cost is unknown. */
export interface UnpricedSession {
  readonly agent: string;
  readonly model: string;
  /** False: the agent stated no tokens either. */
  readonly hasTokens: boolean;
}

/**
 * Returns `agent` with a cost by `own` or list prices (`price-table`) for each session with tokens whose cost it does not know itself.
 * `onUnpriced` gets the sessions whose model neither has.
 */
export function pricedAgent(
  agent: Agent,
  own: ModelPrices,
  onUnpriced: (session: UnpricedSession) => void = () => undefined,
): Agent {
  return {
    ...agent,
    run: async (request) => {
      const result = await agent.run(request);
      const priced = await withPrice(result, request.model, own);
      const hasTokens = result.tokens !== null;
      if (priced.costUsd === null && (hasTokens || result.error === null))
        onUnpriced({ agent: agent.name, model: result.model ?? request.model, hasTokens });
      return priced;
    },
  };
}

async function withPrice(result: AgentResult, requested: string, own: ModelPrices): Promise<AgentResult> {
  const { tokens, costSource, contextUsed } = result;
  if (tokens === null || costSource === "measured") return result;
  // On demand: the table takes 30 ms to load.
  const { listPrice } = await import("./session/list-price.ts");
  const priceOf = (model: string): number | null =>
    listPrice({ model, tokens, contextUsed, now: new Date(), own });
  const costUsd = (result.model === null ? null : priceOf(result.model)) ?? priceOf(requested);
  // As with a stated cost: the agent states the tokens.
  return costUsd === null || costUsd > maxSessionUsd
    ? result
    : { ...result, costUsd, costSource: "price-table" };
}
