import type { AgentLimit } from "../../agents/agent-limits.ts";
import type { Agent } from "../../agents/port/agent.ts";
import { record } from "../../events/event-store.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { type AttemptPlan, planAttempt } from "../../strategy/plan-attempt.ts";
import { blockTask } from "../../tasks/graph/task-transitions.ts";
import { beginIteration } from "../iteration/begin-iteration.ts";
import { knownFault } from "../iteration/cannot-verify.ts";
import { extractLearnings } from "../iteration/extract-learnings.ts";
import { type InterruptedEnd, interruptionOf, recordInterrupted } from "../iteration/interruption.ts";
import { judgeAttempt } from "../iteration/judge-attempt.ts";
import { holdLease } from "../iteration/lease.ts";
import { preparePrompt } from "../iteration/prepare-prompt.ts";
import { recordIteration } from "../iteration/record-iteration.ts";
import { reviewAttempt } from "../iteration/review-attempt.ts";
import { runAgent } from "../iteration/run-agent.ts";
import { verifyAttempt } from "../iteration/verify-attempt.ts";
import { preflightAll, verifyCommandsFor } from "../iteration/verify-commands.ts";
import { land } from "../land/land.ts";
import { recordLanded } from "../land/landed-before.ts";
import type { Interruption, Iteration } from "../rows/iteration.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { guardTree } from "../tree/guard-tree.ts";
import { inspectWork } from "../tree/inspect-work.ts";
import { dropTempFolder } from "../tree/temp-folder.ts";
import type { Ready } from "./choose-task.ts";
import { beginTurn, type RunState } from "./run-state.ts";
import { availableAgents } from "./wait-for-agent.ts";

/**
 * The end of an iteration; none began for `limited`: no agent may be called yet; `given-up`: no attempt is worth its price;
 * `taken`: another process claimed the task.
 */
type IterationEnd =
  | { readonly kind: "outcome"; readonly outcome: Outcome; readonly costUsd: number | null }
  | InterruptedEnd
  | { readonly kind: "limited"; readonly limit: AgentLimit }
  | { readonly kind: "given-up" }
  | { readonly kind: "taken" };

/**
 * Runs one iteration on a ready task: plans it, opens its tree, builds its prompt from memory, claims it, runs the agent
 * and judges what it did.
 *
 * @throws RalphError when the environment makes work impossible; all else that is thrown is a bug.
 */
export async function runIteration(
  loop: Loop,
  state: RunState,
  { task, failedBefore }: Ready,
): Promise<IterationEnd> {
  if (await recordLanded(loop, task)) return { kind: "taken" };
  const planned = await planAttempt(loop.db, {
    ...loop.options,
    task,
    iteration: state.started + 1,
    available: availableAgents(loop, state),
  });
  if ("wait" in planned) return { kind: "limited", limit: planned.wait };
  const { plan, giveUp } = planned;
  if (giveUp !== null) return giveTaskUp(loop, task, { reason: giveUp, offers: plan.offers });
  const turn = beginTurn(loop, state, { ...planned, failedBefore });
  const tree = await loop.tree.open(task);
  const prompt = await preparePrompt(loop, { ...turn, task, plan, state: tree.state });
  const begun = await beginIteration(loop, { ...turn, task, plan, prompt, tree });
  if (!begun) return { kind: "taken" };
  const lease = holdLease(loop, begun);
  try {
    return await attempt(loop, { ...begun, leaseLost: lease.lost });
  } finally {
    lease.stop();
    await dropTempFolder(loop, begun.tmpDir);
  }
}

const noSession = { model: null, costUsd: null, durationMs: 0 };

/** Runs the agent, judges its work, and records the verdict with the commit that lands it. */
async function attempt(loop: Loop, iteration: Iteration): Promise<IterationEnd> {
  const preflight = await preflightAll(loop, verifyCommandsFor(loop, iteration));
  const guard = await guardTree(loop, iteration.state.baseline);
  const fault = knownFault(loop, iteration.task, preflight);
  if (fault) return recordInterrupted(loop, iteration, { interruption: fault, session: noSession, guard });
  const session = await runAgent(loop, iteration);
  const end = (interruption: Interruption) =>
    recordInterrupted(loop, iteration, { interruption, session, guard });
  const restored = await guard.restore({ statusNext: true });
  const interruption = await interruptionOf(loop, iteration, session);
  if (interruption) return end(interruption);
  const work = await inspectWork(loop, iteration.state, restored);
  const verified = await verifyAttempt(loop, iteration, { session, work, guard, preflight });
  if ("kind" in verified) return end(verified);
  const review = await reviewAttempt(loop, iteration, { session, verified });
  const judged = judgeAttempt(loop, iteration, { session, work, verified, review });
  const { byproducts } = verified;
  const { pending, nextTask } = await recordIteration(loop, iteration, { outcome: judged, byproducts });
  const outcome = (pending && (await land(loop, pending, { nextTask }))) ?? judged;
  const extractionUsd = await extractLearnings(loop, iteration, outcome);
  return {
    kind: "outcome",
    outcome,
    costUsd: sum(sum(session.costUsd, extractionUsd), review?.costUsd ?? null),
  };
}

/** Blocks a task whose next attempt is not worth its price, until a person retries it (STRAT-5). */
async function giveTaskUp(
  loop: Pick<Loop, "clock" | "db" | "log" | "runId">,
  { id, title }: Ready["task"],
  { reason, offers }: { readonly reason: string } & Pick<AttemptPlan<Agent>, "offers">,
): Promise<IterationEnd> {
  await commit(loop, async (tx) => {
    const now = loop.clock.now();
    await blockTask(tx, id, { cause: "attempts", reason: `needs a person: ${reason}` }, now);
    const data = { taskId: id, title, reason, offers: offers.map((offer) => ({ ...offer })) };
    await record(tx, { type: "task.givenup", runId: loop.runId, data }, now);
  });
  return { kind: "given-up" };
}

/** Returns null when neither cost is known. */
function sum(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}
