import { decimal, type SafeText, safe } from "../base/safe-text.ts";

/** Returns `$1.20`, or `~$1.20` for a cost that is estimated in whole or in part. */
export function costText(usd: number, digits: number, isEstimated: boolean): SafeText {
  return safe`${isEstimated ? "~" : ""}$${decimal(usd, digits)}`;
}

/** Returns true for a cost that the agent did not measure: from list prices, or guessed. */
export function isEstimate(costSource: string | null): boolean {
  return costSource === "price-table" || costSource === "guessed";
}
