import { formatDuration } from "../base/duration.ts";
import { decimal, joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import type { RunReport } from "../events/run-summary.ts";
import { storedText } from "../trust/stored-text.ts";
import type { AttemptLine, RunState, ShownMemory, ViewModel } from "./model.ts";

/** `$1.20`, `~$1.20` for an estimate, `–` where no cost is known. */
export function money(usd: number | null, estimated = false): SafeText {
  return usd === null ? safe`–` : costText(usd, usd > 0 && usd < 0.01 ? 4 : 2, estimated);
}

/** `2026-03-01 10:00 UTC`. */
export function utc(time: string): SafeText {
  return storedText(`${time.slice(0, 16).replace("T", " ")} UTC`);
}

/** The mark of each state, which no view shows by colour alone. */
export const stateMarks: Readonly<Record<RunState, SafeText>> = {
  none: safe`· nothing ran yet`,
  running: safe`▶ running`,
  pausing: safe`‖ pauses after this iteration`,
  paused: safe`‖ paused`,
  stopping: safe`■ stopping`,
  killed: safe`✗ killed`,
  ended: safe`■ ended`,
};

/** The facts of the first line, in order. */
export function headline(model: ViewModel): readonly SafeText[] {
  const { run, tasks, cost, limits } = model;
  const state =
    run.state === "ended" && run.reason !== "" ? safe`■ ended: ${run.reason}` : stateMarks[run.state];
  return [
    state,
    safe`${tasks.done}/${tasks.total} done`,
    ...(cost.usd === null
      ? []
      : [
          cost.budgetUsd === null
            ? money(cost.usd, cost.estimated)
            : safe`${money(cost.usd, cost.estimated)} of ${money(cost.budgetUsd)}`,
        ]),
    ...(cost.perTaskUsd === null ? [] : [safe`${money(cost.perTaskUsd)} per verified task`]),
    ...limits.map(({ agent, kind, until }) => safe`⏳ ${agent} ${kind} until ${utc(until).slice(11)}`),
  ];
}

const verdicts = { helpful: safe`, helped here`, harmful: safe`, misled here` } as const;

/** `shown 7, passed 5, helped here`. */
export function recordText({ shown, passed, verdict }: ShownMemory): SafeText {
  return safe`shown ${shown}, passed ${passed}${verdict === null ? "" : verdicts[verdict]}`;
}

/** `haiku · 2.0 s · $0.08`, without a cost that is not known. */
export function spentText({ model, durationMs, costUsd, estimated }: AttemptLine): SafeText {
  const cost = costUsd === null ? [] : [money(costUsd, estimated)];
  return joinSafe([model, formatDuration(durationMs), ...cost], " · ");
}

/** The attempts that failed, the last first. */
export function failures({ attempts }: Pick<ViewModel, "attempts">): readonly AttemptLine[] {
  return attempts.filter(({ done }) => !done).toReversed();
}

/** The tasks that were done, the last first. */
export function finished({ attempts }: Pick<ViewModel, "attempts">): readonly AttemptLine[] {
  return attempts.filter(({ done }) => done).toReversed();
}

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
