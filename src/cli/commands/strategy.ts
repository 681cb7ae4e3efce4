import type { Agent } from "../../agents/port/agent.ts";
import { decimal, joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { rationalesOf } from "../../loop/rows/iteration-store.ts";
import { wilson } from "../../memory/port/intervals.ts";
import { allTotals } from "../../outcome/attempt-sums-store.ts";
import { attemptsOf } from "../../outcome/outcome-store.ts";
import { perSuccess } from "../../strategy/choose-attempt.ts";
import { planAttempt } from "../../strategy/plan-attempt.ts";
import { requireTask } from "../../tasks/graph/task-store.ts";
import { storedJson, storedLine } from "../../trust/stored-text.ts";
import { costText, isEstimate, sumOf, usdPerVerified } from "../../view/format.ts";
import { chooseAgents, strategyOf } from "../project/choose-agents.ts";
import { type CommandSpec, type Project, type Session, withProject } from "../shell/command.ts";
import { usageError } from "../shell/io.ts";

/** `ralph strategy` and `ralph strategy explain TASK` (STRAT-5). */
export const command: CommandSpec = {
  description:
    "Shows what each model's verified tasks cost, over all recorded attempts; the interval holds 95%. `explain` shows why a task's attempts got their models, and what its next one would cost. Changes nothing.",
  examples: ["ralph strategy", "ralph strategy explain 7.2", "ralph strategy --json"],
  arguments: [
    { name: "[action]", description: "explain", choices: ["explain"] },
    { name: "[task]", description: "the task's id" },
  ],
  run: async (session, { args }) => {
    const { action, task } = args;
    if (action === "explain" && task === undefined)
      throw usageError("ralph strategy explain needs a task", "ralph task list shows the ids");
    return withProject(session, {}, (project) =>
      task === undefined ? showTable(session, project) : explainTask(session, project, String(task)),
    );
  },
};

type Totals = Awaited<ReturnType<typeof allTotals>>[number];

async function showTable(session: Session, { db, loaded }: Project): Promise<void> {
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
    dollars(row.givenUpUsd),
  ];
}

/** Prints a line for each attempt at the task: what it came to and why it got its model; then the plan of the next one. */
async function explainTask(session: Session, project: Project, id: string): Promise<void> {
  const { db } = project;
  const task = await requireTask(db, id);
  const why = await rationalesOf(db, task.id);
  const attempts = (await attemptsOf(db, task.id)).map(
    ({ attempt, model, outcome, costUsd, costSource, iterationId }) => ({
      ...{ attempt, model, outcome, costUsd, costSource },
      rationale: why.get(iterationId ?? "") ?? null,
    }),
  );
  const next = task.status === "done" ? null : await nextOf(session, project, task);
  if (session.json)
    return session.out(
      storedJson({ id: task.id, status: task.status, statusReason: task.statusReason, attempts, next }),
    );
  for (const { attempt, model, outcome, costUsd, costSource, rationale } of attempts) {
    const cost = costUsd === null ? "" : safe`, ${costText(costUsd, 2, isEstimate(costSource))}`;
    const because = rationale === null ? "" : safe` · ${storedLine(rationale, 300)}`;
    session.out(safe`attempt ${attempt}: ${storedLine(model, 60)}, ${storedLine(outcome)}${cost}${because}`);
  }
  if (next === null) return session.note(safe`${storedLine(task.id)} is done`);
  if (task.statusReason !== null)
    session.out(safe`${storedLine(task.status)}: ${storedLine(task.statusReason, 300)}`);
  session.out(safe`next: ${storedLine(next.model, 60)} · ${storedLine(next.rationale, 300)}`);
  if (next.valueUsd !== null) session.out(safe`a finished task is worth $${decimal(next.valueUsd, 2)}`);
  for (const { model, chance, usd, usdPerSuccess } of next.offers)
    session.out(
      safe`  ${storedLine(model, 60)}: ${Math.round(100 * chance)}% for $${decimal(usd, 2)} = $${decimal(usdPerSuccess, 2)} per success`,
    );
  if (next.giveUp !== null) session.out(safe`not worth it: ${storedLine(next.giveUp, 300)}`);
}

async function nextOf(
  session: Session,
  { db, loaded }: Project,
  task: Awaited<ReturnType<typeof requireTask>>,
) {
  const { settings } = loaded;
  const agents = chooseAgents(settings);
  const [agent] = agents;
  const available = () => ({ choice: { agent, tiers: agent.tiers }, insteadOf: null, wait: null }) as const;
  const planned = await planAttempt<Agent, never>(db, {
    ...(await strategyOf(settings, agents, session.clock.now())),
    ...{ limits: settings.limits, task, available, iteration: 1 },
  });
  if (!("plan" in planned)) return planned.wait;
  const { plan, giveUp } = planned;
  const offers = plan.offers.map((offer) => ({ ...offer, usdPerSuccess: perSuccess(offer) }));
  const { model, rationale, valueUsd } = plan;
  return { agent: agent.name, model, rationale, valueUsd, offers, giveUp };
}
