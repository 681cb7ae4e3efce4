import type { CheckResult, Outcome } from "../../outcome/outcome.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { removeFolder } from "../../workspace/clean-tree.ts";
import { beginIteration } from "../iteration/begin-iteration.ts";
import { knownFault } from "../iteration/cannot-verify.ts";
import { extractLearnings } from "../iteration/extract-learnings.ts";
import {
  type InterruptedEnd,
  interruptionOf,
  isInterruption,
  recordInterrupted,
} from "../iteration/interruption.ts";
import { judgeAttempt } from "../iteration/judge-attempt.ts";
import { holdLease } from "../iteration/lease.ts";
import { preparePrompt } from "../iteration/prepare-prompt.ts";
import { recordIteration } from "../iteration/record-iteration.ts";
import { runAgent } from "../iteration/run-agent.ts";
import { verifyAttempt } from "../iteration/verify-attempt.ts";
import { preflightAll, verifyCommandsFor } from "../iteration/verify-commands.ts";
import { land } from "../land/land.ts";
import type { Iteration, Plan } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";
import type { TaskTree } from "../rows/slot.ts";

/** The end of an iteration: a judged outcome, an interruption that costs no attempt, or a task claimed by another. */
export type IterationEnd =
  | { readonly kind: "outcome"; readonly outcome: Outcome; readonly costUsd: number | null }
  | InterruptedEnd
  | { readonly kind: "taken" };

/** The next iteration: its task, the agent and model for it, and what the run knows of them. */
interface Turn {
  readonly task: Task;
  readonly plan: Plan;
  /** The command of the project's verification that fails before the attempt; null: none that is known. */
  readonly failedBefore: CheckResult | null;
  /** Within the run, from 1. */
  readonly number: number;
  /** Consecutive interruptions of the agent before this iteration. */
  readonly interruptions: number;
  /** Milliseconds until the run's deadline; null: it has none. */
  readonly remainingMs: number | null;
}

/**
 * Runs one iteration on a task: opens its tree, builds its prompt from memory, claims it, runs the agent and judges what
 * it did.
 *
 * @throws RalphError when the environment makes work impossible; all else that is thrown is a bug.
 */
export async function runIteration(loop: Loop, turn: Turn): Promise<IterationEnd> {
  const { task, plan } = turn;
  const tree = await loop.tree.open(task);
  const prompt = await preparePrompt(loop, { ...turn, state: tree.state });
  const iteration = await beginIteration(loop, { task, plan, prompt, state: tree.state });
  if (!iteration) return { kind: "taken" };
  const lease = holdLease(loop, iteration);
  try {
    return await attempt(loop, iteration, { ...turn, changesBefore: tree.changes, leaseLost: lease.lost });
  } finally {
    lease.stop();
    const { tmpDir } = iteration;
    loop.background.postpone(tmpDir, () => removeFolder(loop.workspace, tmpDir));
  }
}

interface Attempt extends Omit<Turn, "task" | "plan"> {
  readonly changesBefore: TaskTree["changes"];
  /** Aborted when the claim is no longer this run's. */
  readonly leaseLost: AbortSignal;
}

/** Runs the agent, judges its work, and records the verdict with the commit that lands it. */
async function attempt(loop: Loop, iteration: Iteration, attempt: Attempt): Promise<IterationEnd> {
  const { interruptions, failedBefore } = attempt;
  const preflight = await preflightAll(loop, verifyCommandsFor(loop, iteration));
  const guard = await loop.tree.guard(iteration.state.baseline);
  const fault = knownFault(loop, iteration.task, preflight);
  if (fault) {
    const session = { costUsd: null, durationMs: 0 };
    return recordInterrupted(loop, iteration, { interruption: fault, session, guard, interruptions });
  }
  const session = await runAgent(loop, iteration, attempt);
  const restored = await guard.restore({ statusNext: true });
  const interruption = await interruptionOf(loop, iteration, { ...attempt, session });
  if (interruption)
    return recordInterrupted(loop, iteration, { interruption, session, guard, interruptions });
  const work = await loop.tree.inspect(iteration.state, restored);
  const verified = await verifyAttempt(loop, iteration, { session, work, guard, preflight });
  if (isInterruption(verified)) {
    return recordInterrupted(loop, iteration, { interruption: verified, session, guard, interruptions });
  }
  const judged = judgeAttempt(loop, iteration, { session, work, verified, failedBefore });
  const nextTask = await recordIteration(loop, iteration, {
    outcome: judged,
    byproducts: verified.byproducts,
  });
  const landed = await land(loop, { nextTask });
  const outcome = landed.find(({ iterationId }) => iterationId === iteration.iterationId)?.outcome ?? judged;
  const extractionUsd = await extractLearnings(loop, iteration, outcome);
  return { kind: "outcome", outcome, costUsd: sum(session.costUsd, extractionUsd) };
}

/** Returns null when neither cost is known. */
function sum(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}
