import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import type { RunReport } from "../events/run-summary.ts";
import { safeLine } from "../trust/safe-text.ts";
import { costText } from "./cost-text.ts";

type ModelRow = RunReport["byModel"][number];
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

/** Returns a run's cost per verified task, in all and by model, and what tasks cost that need a person, as one line; none: no cost is known. */
export function receipt(byModel: readonly ModelRow[]): readonly SafeText[] {
  const all = sumOf(byModel);
  if (all.costUsd === null || all.attempts === 0) return [];
  const each = (row: ModelRow): SafeText => costText(usdPerVerified(row) ?? 0, 2, row.estimatedUsd > 0);
  const verified = byModel.filter((row) => usdPerVerified(row) !== null);
  const models = verified.map((row) => safe`${safeLine(row.model, 40)} ${each(row)}`);
  const total = all.done === 0 ? safe`no task was verified` : safe`${each(all)}`;
  const parts = models.length > 1 ? safe`${total} (${joinSafe(models, ", ")})` : total;
  const lost = all.givenUpUsd ?? 0;
  return [
    lost > 0 ? safe`${parts}; ${costText(lost, 2, all.estimatedUsd > 0)} on what needs a person` : parts,
  ];
}
