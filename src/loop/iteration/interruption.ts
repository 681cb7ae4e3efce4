import { type AgentLimit, isTransient, limitMet } from "../../agents/agent-limits.ts";
import type { AgentErrorKind, AgentResult } from "../../agents/port/agent.ts";
import { newId } from "../../base/ids.ts";
import { record } from "../../events/event-store.ts";
import { recordInterruption } from "../../outcome/interruption-store.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Tx } from "../../store/port/db.ts";
import { claimFlags, whyClaimEnded } from "../../tasks/graph/claim-store.ts";
import type { Claim, Task } from "../../tasks/graph/task.ts";
import { blockTask, returnTask } from "../../tasks/graph/task-transitions.ts";
import { columnText } from "../../trust/safe-text.ts";
import { head } from "../../workspace/git/status.ts";
import { endIteration } from "../rows/iteration-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { returnMessages } from "../rows/message-store.ts";
import { changesSince } from "../tree/changes-since.ts";
import { recordLeftovers } from "../tree/leftovers.ts";
import type { Iteration } from "./begin-iteration.ts";
import type { Held } from "./hold-iteration.ts";

/** The reason why an iteration ended without costing an attempt. */
export interface Interruption {
  readonly kind: AgentErrorKind | "deadline" | "crashed" | "cannot-verify";
  readonly message: string;
  readonly hint: string | null;
  readonly resetAt: string | null;
  /** The limit applies only to the models of this name. */
  readonly limitedModel?: string | null;
  /** Known only by words that the agent printed. */
  readonly byWords?: boolean;
  /** Only a person can remove its cause, which is the task's: the task is blocked, and the run continues. */
  readonly blocksTask?: boolean;
}

/** An iteration whose agent has ended. */
interface Session {
  readonly iteration: Iteration;
  readonly result: AgentResult;
  readonly held: Held;
  /** Milliseconds until the run's deadline as the agent started; null: it has none. */
  readonly remainingMs: number | null;
  /** Consecutive interruptions of the agent before this iteration. */
  readonly interruptions: number;
}

/** The facts to record of a session; nothing was spent on one that did not begin. */
type EndedSession = Pick<Session, "iteration" | "held" | "interruptions"> & {
  readonly result: Pick<AgentResult, "costUsd" | "durationMs" | "warnings">;
};

export function isInterruption(judged: Outcome | Interruption): judged is Interruption {
  return "kind" in judged;
}

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

/**
 * Returns the interruption that ended a session, or undefined when its work is to be judged. `changesBefore` names the
 * changes that were in the tree before the session.
 */
export async function interruptionOf(
  loop: Pick<Loop, "db" | "stop" | "workspace">,
  session: Session,
  changesBefore: string,
): Promise<Interruption | undefined> {
  const { result, held, remainingMs } = session;
  const { error } = result;
  if (!error) return limitWithoutWork(loop, session, changesBefore);
  const withoutHint = { hint: null, resetAt: null };
  if (loop.stop.aborted && error.kind === "cancelled") {
    return { kind: "cancelled", message: "stopped by request", ...withoutHint };
  }
  if (held.leaseLost.aborted && error.kind === "cancelled") {
    const message = `the task is no longer this run's: ${await whyClaimEnded(loop.db, session.iteration.taskId)}`;
    return { kind: "cancelled", message, ...withoutHint };
  }
  if (error.kind === "timeout" && remainingMs !== null && result.durationMs >= remainingMs - 50) {
    return { kind: "deadline", message: "the run's --max-duration was reached", ...withoutHint };
  }
  return notCounted.has(error.kind) ? { ...error } : undefined;
}

/**
 * Returns the limit that a session met whose final message is only a limit text, although the agent reports no error;
 * undefined when the agent changed something, or reported the task's outcome by a command: such a session is judged.
 */
async function limitWithoutWork(
  loop: Pick<Loop, "db" | "workspace">,
  { iteration, result }: Session,
  changesBefore: string,
): Promise<Interruption | undefined> {
  const limit = result.onlyLimitText;
  // Other errors are the task's own, such as a full context: they use up an attempt.
  if (!limit || !notCounted.has(limit.kind)) return undefined;
  const claims = await claimFlags(loop.db, iteration.claim);
  if (claims.done || claims.failed) return undefined;
  if (((await head(loop.workspace)) ?? "") !== iteration.headBefore) return undefined;
  const changes = await changesSince(loop, iteration.state.baseline);
  return changes === changesBefore ? limit : undefined;
}

interface InterruptedEnd {
  readonly kind: "interrupted";
  readonly interruption: Interruption;
  readonly limit: AgentLimit | null;
  readonly costUsd: number | null;
}

/**
 * Records the interruption with its cost, and returns the task to the list or blocks it; its changes stay in the tree for its retry.
 * The returned limit says until when the agent is not called; null where waiting does not help.
 */
export async function recordInterrupted(
  loop: Pick<
    Loop,
    "clock" | "db" | "env" | "folder" | "log" | "options" | "owner" | "root" | "runId" | "workspace"
  >,
  session: EndedSession,
  interruption: Interruption,
): Promise<InterruptedEnd> {
  const { iteration, result, held } = session;
  const limit = limitOf(loop, session, interruption);
  // Verification may have run since.
  await held.restore();
  const warnings = [...new Set([...held.restored, ...(result.warnings ?? [])])];
  const state = await recordLeftovers(loop, iteration.state, null);
  const headAfter = await head(loop.workspace);
  await commit(loop, async (tx) => {
    const now = loop.clock.now();
    await recordInterruption(tx, {
      id: newId("x", 6),
      taskId: iteration.taskId,
      runId: loop.runId,
      agent: iteration.agent.name,
      model: iteration.model,
      kind: interruption.kind,
      message: columnText(interruption.message),
      startedAt: iteration.startedAt,
      durationMs: Math.round(result.durationMs),
      costUsd: result.costUsd,
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
  return { kind: "interrupted", interruption, limit, costUsd: result.costUsd };
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
  { iteration, interruptions }: Pick<Session, "iteration" | "interruptions">,
  interruption: Interruption,
): AgentLimit | null {
  if (!isTransient(interruption)) return null;
  const used = { agent: iteration.agent.name, model: iteration.model };
  const facts = { consecutive: interruptions + 1, now: clock.now(), random: Math.random() };
  return limitMet(interruption, used, facts);
}
