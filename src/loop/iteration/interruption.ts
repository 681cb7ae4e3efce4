import { type AgentLimit, isTransient, limitMet } from "../../agents/agent-limits.ts";
import type { AgentErrorKind, AgentResult } from "../../agents/port/agent.ts";
import { newId } from "../../base/ids.ts";
import { record } from "../../events/event-store.ts";
import { recordInterruption } from "../../outcome/interruption-store.ts";
import type { Tx } from "../../store/port/db.ts";
import { claimFlags, whyClaimEnded } from "../../tasks/graph/claim-store.ts";
import type { Claim, Task } from "../../tasks/graph/task.ts";
import { blockTask, returnTask } from "../../tasks/graph/task-transitions.ts";
import { columnText } from "../../trust/safe-text.ts";
import { head } from "../../workspace/git/status.ts";
import type { Interruption, Iteration } from "../rows/iteration.ts";
import { endIteration } from "../rows/iteration-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { returnMessages } from "../rows/message-store.ts";
import type { TreeGuard } from "../rows/slot.ts";
import { changesSince } from "../tree/describe-work.ts";
import { recordLeftovers } from "../tree/leftovers.ts";
import { answeredBy } from "./judge-attempt.ts";
import { leaseEnded } from "./lease.ts";

/** Errors that neither the task nor its code causes. */
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

/** Returns the interruption that ended a session, or undefined when its work is to be judged. */
export async function interruptionOf(
  loop: Pick<Loop, "db" | "stop" | "workspace">,
  iteration: Iteration,
  session: AgentResult,
): Promise<Interruption | undefined> {
  const { leaseLost, remainingMs } = iteration;
  const { error, durationMs } = session;
  if (!error)
    return (await limitWithoutWork(loop, iteration, session)) ?? faultWithoutWork(loop, iteration, session);
  const withoutHint = { hint: null, resetAt: null };
  if (loop.stop.aborted && error.kind === "cancelled") {
    return { kind: "cancelled", message: "stopped by request", ...withoutHint };
  }
  if (leaseLost.aborted && error.kind === "cancelled") {
    const isUnanswered = leaseLost.reason === leaseEnded;
    const why = isUnanswered ? leaseEnded : await whyClaimEnded(loop.db, iteration.taskId);
    const message = `the task is no longer this run's: ${why}`;
    return { kind: "cancelled", message, ...withoutHint };
  }
  if (error.kind === "timeout" && remainingMs !== null && durationMs >= remainingMs - 50) {
    return { kind: "deadline", message: "the run's --max-duration was reached", ...withoutHint };
  }
  return notCounted.has(error.kind) ? { ...error } : faultWithoutWork(loop, iteration, session);
}

/** Errors that say nothing of the task: the agent cannot start, or has no result. */
const faults: ReadonlySet<AgentErrorKind> = new Set(["crash", "bad_output"]);

/** Returns the agent's own fault that ended a task's session without a change, unless it is not the task's first (LOOP-26). */
async function faultWithoutWork(
  loop: Pick<Loop, "db" | "workspace">,
  iteration: Iteration,
  session: AgentResult,
): Promise<Interruption | undefined> {
  const silent = {
    kind: "bad_output",
    message: "the agent printed nothing",
    hint: null,
    resetAt: null,
  } as const;
  const fault = session.error ?? (session.finalMessage.trim() === "" ? silent : null);
  if (!fault || !faults.has(fault.kind) || iteration.faultyTasks.has(iteration.taskId)) return undefined;
  return (await didNothing(loop, iteration)) ? { ...fault, isFault: true } : undefined;
}

/**
 * Returns the limit that a session met whose final message is only a limit text, although the agent reports no error;
 * undefined when the agent changed something, or reported the task's outcome by a command: such a session is judged.
 */
async function limitWithoutWork(
  loop: Pick<Loop, "db" | "workspace">,
  iteration: Iteration,
  { onlyLimitText: limit }: AgentResult,
): Promise<Interruption | undefined> {
  // Other errors are the task's own, such as a full context: they use up an attempt.
  if (!limit || !notCounted.has(limit.kind)) return undefined;
  return (await didNothing(loop, iteration)) ? limit : undefined;
}

/** Checks whether the agent changed nothing, and reported no outcome of the task by a command. */
async function didNothing(loop: Pick<Loop, "db" | "workspace">, iteration: Iteration): Promise<boolean> {
  const claims = await claimFlags(loop.db, iteration.claim);
  if (claims.done || claims.failed) return false;
  if (((await head(loop.workspace)) ?? "") !== iteration.headBefore) return false;
  return (await changesSince(loop, iteration.state.baseline)) === iteration.changesBefore;
}

interface Interrupted {
  readonly interruption: Interruption;
  /** Nothing was spent on a session that did not begin. */
  readonly session: Pick<AgentResult, "costUsd" | "durationMs" | "warnings" | "model">;
  readonly guard: TreeGuard;
}

/** The end of an iteration without a verdict. */
export interface InterruptedEnd {
  readonly kind: "interrupted";
  readonly agent: string;
  readonly taskId: string;
  readonly interruption: Interruption;
  /** How long the agent is not called; null: it may be called at once. */
  readonly limit: AgentLimit | null;
  readonly costUsd: number | null;
  /** How long the agent worked, in milliseconds; 0: it was not started. */
  readonly sessionMs: number;
}

/**
 * Records the interruption with its cost, and returns the task to the list or blocks it; its changes stay in the tree for its retry.
 * The returned limit says until when the agent is not called; null where waiting does not help.
 */
export async function recordInterrupted(
  loop: Pick<Loop, "byproducts" | "clock" | "db" | "log" | "runId" | "workspace">,
  iteration: Iteration,
  { interruption, session, guard }: Interrupted,
): Promise<InterruptedEnd> {
  const limit = limitOf(loop, iteration, interruption);
  // Verification may have run since.
  await guard.restore();
  const warnings = [...new Set([...guard.restored, ...(session.warnings ?? [])])];
  const state = await recordLeftovers(loop, iteration.state, null);
  const headAfter = await head(loop.workspace);
  await commit(loop, async (tx) => {
    const now = loop.clock.now();
    await recordInterruption(tx, {
      id: newId("x", 6),
      taskId: iteration.taskId,
      runId: loop.runId,
      agent: iteration.agent.name,
      model: answeredBy(iteration, session).model,
      kind: interruption.kind,
      message: columnText(interruption.message),
      startedAt: iteration.startedAt,
      durationMs: Math.round(session.durationMs),
      costUsd: session.costUsd,
      resetAt: interruption.resetAt,
      waitUntil: limit && new Date(limit.until).toISOString(),
      limitedModel: limit?.model ?? null,
    });
    const { iterationId, number, taskId, task } = iteration;
    const released = await releaseTask(tx, iteration.claim, interruption, now);
    await returnMessages(tx, iterationId, now);
    await endIteration(tx, { iterationId, at: now.toISOString(), kind: "interrupted", headAfter });
    await state.save(tx);
    const { kind, message, hint, resetAt } = interruption;
    const taskStatus = released?.status ?? "lost";
    const ended = { iteration: number, taskId, title: task.title, taskStatus };
    const data = { ...ended, kind, message, hint, resetAt, warnings };
    await record(tx, { type: "iteration.interrupted", runId: loop.runId, data }, now);
  });
  const agent = iteration.agent.name;
  const { taskId } = iteration;
  const { costUsd, durationMs: sessionMs } = session;
  return { kind: "interrupted", agent, taskId, interruption, limit, costUsd, sessionMs };
}

async function releaseTask(
  tx: Tx,
  claim: Claim,
  { blocksTask, message, hint }: Interruption,
  now: Date,
): Promise<Task | undefined> {
  if (!blocksTask) return returnTask(tx, claim, { reason: null }, now);
  const reason = `needs a person: ${[message, hint].filter(Boolean).join("; ")}`;
  return blockTask(tx, claim, { cause: "needs", reason }, now);
}

function limitOf(
  { clock }: Pick<Loop, "clock">,
  { agent, model, interruptions }: Iteration,
  interruption: Interruption,
): AgentLimit | null {
  if (!isTransient(interruption)) return null;
  const used = { agent: agent.name, model };
  const facts = { consecutive: interruptions + 1, now: clock.now(), random: Math.random() };
  return limitMet(interruption, used, facts);
}
