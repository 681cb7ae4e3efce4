import type { AgentLimit } from "../../agents/agent-limits.ts";
import type { Agent } from "../../agents/port/agent.ts";
import type { CheckResult, Outcome } from "../../outcome/outcome.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { beginIteration, type Iteration } from "../iteration/begin-iteration.ts";
import { knownFault } from "../iteration/cannot-verify.ts";
import { extractLearnings } from "../iteration/extract-learnings.ts";
import { holdIteration } from "../iteration/hold-iteration.ts";
import {
  type Interruption,
  interruptionOf,
  isInterruption,
  recordInterrupted,
} from "../iteration/interruption.ts";
import { judgeAttempt } from "../iteration/judge-attempt.ts";
import { planIteration } from "../iteration/plan-iteration.ts";
import { recordIteration } from "../iteration/record-iteration.ts";
import { runAgent } from "../iteration/run-agent.ts";
import { settleCommits } from "../land/settle-commits.ts";
import type { Loop } from "../rows/loop.ts";
import { switchTreeToTask } from "../tree/switch-tree-to-task.ts";

/** The end of an iteration: a judged outcome, an interruption that costs no attempt, or a task claimed by another. */
export type IterationEnd =
  | { readonly kind: "outcome"; readonly outcome: Outcome; readonly costUsd: number | null }
  | {
      readonly kind: "interrupted";
      readonly interruption: Interruption;
      /** How long the agent is not called; null: it may be called at once. */
      readonly limit: AgentLimit | null;
      readonly costUsd: number | null;
    }
  | { readonly kind: "taken" };

/** The task and agent of the next iteration. */
interface Turn {
  readonly task: Task;
  /** The command of the project's verification that fails before the attempt; null: none that is known. */
  readonly failedBefore: CheckResult | null;
  readonly agent: Agent;
  /** Cheap, middle, strong: the agent's models that may be called now. */
  readonly tiers: readonly [string, ...string[]];
  /** Within the run, from 1. */
  readonly number: number;
  /** Consecutive interruptions of the agent before this iteration. */
  readonly interruptions: number;
  /** Milliseconds until the run's deadline; null: it has none. */
  readonly remainingMs: number | null;
}

/**
 * Runs one iteration: takes the task, builds its prompt from memory, runs the agent, judges the outcome, records
 * outcome, memory, task state and the pending commit in one transaction, and commits to git.
 *
 * @throws RalphError when the environment makes work impossible; all else that is thrown is a bug.
 */
export async function runIteration(loop: Loop, turn: Turn): Promise<IterationEnd> {
  const tree = await switchTreeToTask(loop, turn.task);
  const plan = await planIteration(loop, { ...turn, state: tree.state });
  const iteration = await beginIteration(loop, plan, tree.state);
  if (!iteration) return { kind: "taken" };
  const held = await holdIteration(loop, iteration);
  try {
    const known = knownFault(loop, iteration, held.preflight);
    if (known) {
      const result = { costUsd: null, durationMs: 0 };
      return await recordInterrupted(loop, { ...turn, iteration, held, result }, known);
    }
    const restore = () => held.restore({ statusNext: true });
    const { leaseLost } = held;
    const result = await runAgent(loop, iteration, { ...turn, leaseLost, restore });
    const session = { ...turn, iteration, held, result };
    const judged = (await interruptionOf(loop, session, tree.changes)) ?? (await judgeAttempt(loop, session));
    if (isInterruption(judged)) return await recordInterrupted(loop, session, judged);
    const nextTask = await recordIteration(loop, { iteration, outcome: judged });
    const settled = await settleCommits(loop, { nextTask });
    const outcome = settled.find(isOf(iteration))?.outcome ?? judged;
    const extractionUsd = await extractLearnings(loop, iteration, outcome);
    return { kind: "outcome", outcome, costUsd: sum(session.result.costUsd, extractionUsd) };
  } finally {
    await held.release();
  }
}

function isOf({ iterationId }: Iteration) {
  return (settled: { readonly iterationId: string }): boolean => settled.iterationId === iterationId;
}

/** Returns null when neither cost is known. */
function sum(a: number | null, b: number | null): number | null {
  return a === null && b === null ? null : (a ?? 0) + (b ?? 0);
}
