import { decimal, type SafeText, safe } from "../base/safe-text.ts";
import type { RunReport } from "../events/run-summary.ts";

export type ModelRow = RunReport["byModel"][number];
type Costs = Pick<ModelRow, "attempts" | "done" | "costUsd" | "unpriced">;

/** Returns the dollars per verified task, unpriced attempts counted at the mean of the others; null: unknown, or none is verified. */
export function usdPerVerified({ attempts, done, costUsd, unpriced }: Costs): number | null {
  const priced = attempts - unpriced;
  return costUsd === null || done === 0 || priced <= 0 ? null : (costUsd * attempts) / priced / done;
}

/** Returns the sums of several models. */
export function sumOf(rows: readonly ModelRow[]): ModelRow {
  const sum = (pick: (row: ModelRow) => number | null | undefined): number =>
    rows.reduce((all, row) => all + (pick(row) ?? 0), 0);
  return {
    model: "all",
    attempts: sum((row) => row.attempts),
    done: sum((row) => row.done),
    costUsd: rows.every(({ costUsd }) => costUsd === null) ? null : sum((row) => row.costUsd),
    estimatedUsd: sum((row) => row.estimatedUsd),
    unpriced: sum((row) => row.unpriced),
    durationMs: sum((row) => row.durationMs),
    givenUpUsd: sum((row) => row.givenUpUsd),
  };
}

/** Returns `$1.20`, or `~$1.20` for a cost that is estimated in whole or in part. */
export function costText(usd: number, digits: number, isEstimated: boolean): SafeText {
  return safe`${isEstimated ? "~" : ""}$${decimal(usd, digits)}`;
}

/** Returns true for a cost that the agent did not measure: from list prices, or guessed. */
export function isEstimate(costSource: string | null): boolean {
  return costSource === "price-table" || costSource === "guessed";
}
