import type { AgentErrorKind, AgentResult } from "../../agents/agent.ts";
import { type AgentLimit, isTransient, pauseUntil } from "../../agents/agent-limits.ts";
import { newId } from "../../base/ids.ts";
import { record } from "../../events/outbox-store.ts";
import { recordInterruption } from "../../outcome/interruption-store.ts";
import { claimFlags } from "../../tasks/claim-store.ts";
import { returnTask } from "../../tasks/finish-task.ts";
import { head } from "../../workspace/status.ts";
import { endIteration } from "../iteration-store.ts";
import { commit, type Loop } from "../loop.ts";
import { returnMessages } from "../message-store.ts";
import { recordLeftovers } from "../tree/leftovers.ts";
import { treeState } from "../tree/tree-state.ts";
import type { Iteration } from "./begin-iteration.ts";
import { type Guarded, putBackGuarded } from "./guard-iteration.ts";

/** Why an iteration ended without burning an attempt. */
export interface Interruption {
  readonly kind: AgentErrorKind | "deadline" | "crashed" | "cannot-verify";
  readonly message: string;
  readonly hint: string | null;
  readonly resetAt: string | null;
  /** The limit holds for the models of this name only. */
  readonly limitedModel?: string | null;
}

/** Nothing that the task or its code can be blamed for. */
const notCounted: ReadonlySet<AgentErrorKind> = new Set([
  "auth",
  "credit",
  "rate_limit",
  "overloaded",
  "network",
  "not_found",
  "permission",
  "unusable",
  "cancelled",
]);

interface InterruptionFacts {
  /** Milliseconds that the run had left, null when it has no deadline. */
  readonly remainingMs: number | null;
  /** Aborted when the claim is no longer ours. */
  readonly lease: { readonly leaseLost: AbortSignal };
}

/** The interruption that `result` is, or undefined when it is to be judged. */
export function interruptionOf(
  loop: Loop,
  result: AgentResult,
  { remainingMs, lease }: InterruptionFacts,
): Interruption | undefined {
  const error = result.error;
  if (!error) return undefined;
  if (loop.stop.aborted && error.kind === "cancelled") {
    return { kind: "cancelled", message: "stopped by request", hint: null, resetAt: null };
  }
  if (lease.leaseLost.aborted && error.kind === "cancelled") {
    const message = "the task is no longer this run's: a person failed it, or took it";
    return { kind: "cancelled", message, hint: null, resetAt: null };
  }
  if (error.kind === "timeout" && remainingMs !== null && result.durationMs >= remainingMs - 50) {
    return { kind: "deadline", message: "the run's --max-duration was reached", hint: null, resetAt: null };
  }
  return notCounted.has(error.kind) ? { ...error } : undefined;
}

interface Session {
  readonly iteration: Iteration;
  readonly result: AgentResult;
  /** What was changed in the tree before the session. */
  readonly tree: string;
}

/**
 * The limit that a session met whose last message is only a limit text, although the agent reports no error; undefined
 * when the agent changed anything, or reported the task's outcome by a command: then it is to be judged.
 */
export async function limitWithoutWork(
  loop: Loop,
  { iteration, result, tree }: Session,
): Promise<Interruption | undefined> {
  const { baseline } = iteration.state;
  if (!result.onlyLimitText || !baseline) return undefined;
  const claims = await claimFlags(loop.db, iteration.claim);
  if (claims.done || claims.failed) return undefined;
  const headNow = (await head(loop.workspace)) ?? "";
  const unchanged = headNow === iteration.headBefore && (await treeState(loop, baseline)) === tree;
  return unchanged ? result.onlyLimitText : undefined;
}

interface InterruptedIteration {
  readonly iteration: Iteration;
  readonly result: AgentResult;
  readonly interruption: Interruption;
  readonly guarded: Guarded;
  /** Of the same agent, in a row, this one counted. */
  readonly consecutive: number;
}

/**
 * Writes the interruption with its cost and gives the task back; its changes stay in the tree for its retry. Returns
 * for what the agent is left alone from now on, if that helps.
 */
export async function recordInterrupted(loop: Loop, end: InterruptedIteration): Promise<AgentLimit | null> {
  const { iteration, result, interruption } = end;
  const limit = limitBy(loop, end);
  await putBackGuarded(loop, end.guarded);
  const state = await recordLeftovers(loop, iteration.state, null);
  const headAfter = await head(loop.workspace);
  await commit(loop, async (tx) => {
    const now = loop.clock.now();
    await recordInterruption(
      tx,
      {
        id: newId("x", 6),
        taskId: iteration.taskId,
        runId: loop.runId,
        agent: iteration.agent.name,
        model: iteration.model,
        kind: interruption.kind,
        message: interruption.message,
        startedAt: iteration.startedAt,
        durationMs: Math.round(result.durationMs),
        costUsd: result.costUsd,
        resetAt: interruption.resetAt,
        waitUntil: limit && new Date(limit.until).toISOString(),
        limitedModel: limit?.model ?? null,
      },
      now,
    );
    await returnTask(tx, iteration.claim, { reason: null }, now);
    await returnMessages(tx, iteration.id, now);
    await endIteration(tx, { id: iteration.id, at: now.toISOString(), kind: "interrupted", headAfter });
    await state.save(tx);
    const { number, taskId, task } = iteration;
    const { kind, message, hint, resetAt } = interruption;
    const data = { iteration: number, taskId, title: task.title, kind, message, hint, resetAt };
    await record(tx, { type: "iteration.interrupted", runId: loop.runId, data }, now);
  });
  return limit;
}

function limitBy(
  loop: Loop,
  { iteration, interruption, consecutive: inARow }: InterruptedIteration,
): AgentLimit | null {
  if (!isTransient(interruption)) return null;
  const { kind, resetAt, limitedModel = null } = interruption;
  const until = pauseUntil(interruption, inARow, { now: loop.clock.now(), random: Math.random() });
  return { agent: iteration.agent.name, model: limitedModel, kind, until, resetAt };
}
