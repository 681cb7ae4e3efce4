import { decimal, joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { wilson } from "../../../memory/port/intervals.ts";
import { allTotals } from "../../../outcome/attempt-sums-store.ts";
import { storedJson, storedLine } from "../../../trust/stored-text.ts";
import { costText, sumOf, usdPerVerified } from "../../../view/cost.ts";
import { chooseAgents } from "../../project/choose-agents.ts";
import { strategyOf } from "../../project/strategy-settings.ts";
import type { Project, Session } from "../../shell/command.ts";

type Totals = Awaited<ReturnType<typeof allTotals>>[number];

/** Prints a line for each model: its attempts, and what a verified task cost. */
export async function showTable(session: Session, { db, loaded }: Project): Promise<void> {
  const { settings } = loaded;
  const { strategy } = await strategyOf(settings, chooseAgents(settings), session.clock.now());
  const rows = (await allTotals(db)).map(withPrice);
  if (session.json) return session.out(storedJson({ strategy, models: rows }));
  if (rows.length === 0) return session.note("no attempts yet; hint: run `ralph run`");
  const shown = rows.length > 1 ? [...rows, withPrice(sumOf(rows))] : rows;
  const nameWidth = shown.reduce((most, { model }) => Math.max(most, storedLine(model, 40).length), 5);
  const widths = [8, 8, 9, 12, 16, 7, 8];
  const line = (name: SafeText, cells: readonly SafeText[]): SafeText =>
    joinSafe([name.padEnd(nameWidth), ...cells.map((cell, at) => cell.padStart(widths[at] ?? 0))], "  ");
  const head = [safe`attempts`, safe`verified`, safe`cost`, safe`per verified`, safe`95%`];
  session.out(line(safe`model`, [...head, safe`minutes`, safe`given up`]));
  for (const row of shown) session.out(line(storedLine(row.model, 40), cellsOf(row)));
  session.note(
    safe`strategy: ${storedLine(strategy)}; \`ralph strategy explain TASK\` shows a task's choices`,
  );
}

type Priced = Totals & {
  readonly usdPerVerified: number | null;
  readonly interval: { readonly low: number; readonly high: number } | null;
};

/** Adds the cost of a verified task; its interval is that of the share of attempts that are verified. */
function withPrice(row: Totals): Priced {
  const usd = usdPerVerified(row);
  if (usd === null) return { ...row, usdPerVerified: null, interval: null };
  const { low, high } = wilson(row.done, row.attempts);
  const each = (usd * row.done) / row.attempts;
  return { ...row, usdPerVerified: usd, interval: { low: each / high, high: each / low } };
}

function cellsOf(row: Priced): readonly SafeText[] {
  const isEstimated = row.estimatedUsd > 0;
  const dollars = (usd: number | null): SafeText => (usd === null ? safe`–` : costText(usd, 2, isEstimated));
  const { interval } = row;
  const range = interval ? safe`$${decimal(interval.low, 2)}–${decimal(interval.high, 2)}` : safe`–`;
  return [
    safe`${row.attempts}`,
    safe`${row.done}`,
    dollars(row.costUsd),
    dollars(row.usdPerVerified),
    range,
    safe`${Math.round(row.durationMs / 60_000)}`,
    dollars(row.givenUpUsd ?? 0),
  ];
}
