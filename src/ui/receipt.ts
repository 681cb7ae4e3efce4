import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { safeLine } from "../trust/safe-text.ts";
import { costText, type ModelRow, sumOf, usdPerVerified } from "../view/cost.ts";

/** Returns a run's cost per verified task, in all and by model, and what tasks cost that need a person, as one line; none: no cost is known. */
export function receipt(byModel: readonly ModelRow[]): readonly SafeText[] {
  const all = sumOf(byModel);
  if (all.costUsd === null || all.attempts === 0) return [];
  const each = (row: ModelRow): SafeText => costText(usdPerVerified(row) ?? 0, 2, row.estimatedUsd > 0);
  const verified = byModel.filter((row) => usdPerVerified(row) !== null);
  const models = verified.map((row) => safe`${safeLine(row.model, 40)} ${each(row)}`);
  const total = all.done === 0 ? safe`no task was verified` : safe`${each(all)}`;
  const parts = models.length > 1 ? safe`${total} (${joinSafe(models, ", ")})` : total;
  const lost = all.givenUpUsd;
  return [
    lost > 0 ? safe`${parts}; ${costText(lost, 2, all.estimatedUsd > 0)} on what needs a person` : parts,
  ];
}
