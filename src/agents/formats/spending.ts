import type { AgentTokens } from "../port/agent.ts";
import type { Reading } from "../port/session-stream.ts";

/** Adds the tokens of one call of the model. */
export function addTokens(sum: AgentTokens | null, call: AgentTokens): AgentTokens {
  return {
    input: (sum?.input ?? 0) + call.input,
    output: (sum?.output ?? 0) + call.output,
    cacheRead: (sum?.cacheRead ?? 0) + call.cacheRead,
    cacheWrite: (sum?.cacheWrite ?? 0) + call.cacheWrite,
  };
}

/** Adds the cost of one call. Agents state 0 for a model without a known price, which does not count as a cost; nor does less. */
export function addCost(
  { costUsd }: Pick<Reading, "costUsd">,
  cost: number | null,
): Partial<Pick<Reading, "costUsd" | "costSource">> {
  return cost === null || cost <= 0 ? {} : { costUsd: (costUsd ?? 0) + cost, costSource: "measured" };
}
