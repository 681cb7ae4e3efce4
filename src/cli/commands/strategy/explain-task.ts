import type { Agent } from "../../../agents/port/agent.ts";
import { decimal, type SafeText, safe } from "../../../base/safe-text.ts";
import { rationalesOf } from "../../../loop/rows/iteration-store.ts";
import { attemptsOf } from "../../../outcome/outcome-store.ts";
import { perSuccess } from "../../../strategy/choose-attempt.ts";
import { planAttempt } from "../../../strategy/plan-attempt.ts";
import { requireTask } from "../../../tasks/graph/task-store.ts";
import { storedJson, storedLine } from "../../../trust/stored-text.ts";
import { costText, isEstimate } from "../../../view/cost.ts";
import { chooseAgents } from "../../project/choose-agents.ts";
import { strategyOf } from "../../project/strategy-settings.ts";
import type { Project, Session } from "../../shell/command.ts";

/** Prints a line for each attempt at the task: what it came to and why it got its model; then the plan of the next one. */
export async function explainTask(session: Session, project: Project, id: string): Promise<void> {
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
  for (const offer of next.offers) session.out(offerLine(offer));
  if (next.giveUp !== null) session.out(safe`not worth it: ${storedLine(next.giveUp, 300)}`);
}

type Offer = Awaited<ReturnType<typeof nextOf>>["offers"][number];

function offerLine({ model, chance, usd, usdPerSuccess }: Offer): SafeText {
  return safe`  ${storedLine(model, 60)}: ${Math.round(100 * chance)}% for $${decimal(usd, 2)} = $${decimal(usdPerSuccess, 2)} per success`;
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
