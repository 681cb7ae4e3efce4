import type { JsonObject } from "../../base/json.ts";
import { clip, oneLine } from "../../base/text.ts";
import { record } from "../../events/outbox-store.ts";
import { recordStory } from "../../events/story-events.ts";
import { firstErrorLine } from "../../outcome/error-line.ts";
import { extractError } from "../../outcome/extract-error.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { lastAttempt, recordOutcome } from "../../outcome/outcome-store.ts";
import type { Tx } from "../../store/db.ts";
import { recordAttempt, resetMetrics } from "../../strategy/task-metrics.ts";
import { blockTask, completeTask, returnTask, splitTask } from "../../tasks/finish-task.ts";
import { readSplit, type SplitPart, type SplitProposal } from "../../tasks/split-proposal.ts";
import type { Claim, Task } from "../../tasks/task.ts";
import { redact } from "../../trust/redact.ts";
import type { Loop } from "../loop.ts";

/** A judged attempt with all that is needed to record it: plain data, so that it survives a crash beside its commit. */
export interface Verdict {
  readonly outcome: Outcome;
  /** The iteration's number within its run. */
  readonly number: number;
  /** As it was when the iteration began. */
  readonly task: Task;
  readonly claim: Claim;
  /** The prompt asked for a split: the task is stuck (STRAT-4). */
  readonly maySplit: boolean;
  /** How the agent can be allowed more. */
  readonly permissionHint: string | null;
}

/** What became of the task. */
export interface TaskTransition {
  readonly status: "done" | "pending" | "blocked" | "lost";
  readonly completed: readonly Task[];
  readonly unblocked: readonly Task[];
  /** Its new children. */
  readonly parts: readonly Task[];
}

/**
 * Writes outcome, memory and task state with their events, in the caller's transaction. Under a token that is no longer
 * the task's, the late result is kept as an outcome but moves no task.
 */
export async function recordVerdict(
  tx: Tx,
  loop: Pick<Loop, "memory" | "options" | "root">,
  verdict: Verdict,
  now: Date,
): Promise<TaskTransition> {
  const { runId } = verdict.outcome;
  const split = await considerSplit(tx, verdict);
  const refused = split && "refused" in split ? { splitRefused: split.refused } : {};
  const judged = { ...verdict, outcome: { ...verdict.outcome, ...refused } };
  const { outcome } = judged;
  await recordOutcome(tx, outcome, now);
  await loop.memory.capture(tx, outcome, now);
  await recordAttempt(tx, outcome, loop.options, now);
  const parts = split && "parts" in split ? split.parts : [];
  const { maxAttempts } = loop.options;
  const transition = await moveTask(tx, { verdict: judged, maxAttempts, parts, now });
  const data = finishedEvent(judged, transition);
  await record(tx, { type: "iteration.finished", runId, data }, now);
  if (outcome.name !== "done") {
    await recordStory(tx, { runId, root: loop.root }, failedStory(judged), now);
  }
  return transition;
}

/** The split that a failed attempt proposed, checked; undefined when it proposed none. */
async function considerSplit(
  tx: Tx,
  { task, outcome, maySplit }: Verdict,
): Promise<SplitProposal | undefined> {
  const checklist = outcome.claims.memory.subtasks;
  if (checklist === null || outcome.name === "done") return undefined;
  if (!maySplit) return { refused: "a task is split once it is stuck, and this one was not" };
  return readSplit(tx, task, checklist);
}

interface TaskMove {
  readonly verdict: Verdict;
  /** 0: no limit. */
  readonly maxAttempts: number;
  /** What the task is to be split into; none: it is not. */
  readonly parts: readonly SplitPart[];
  readonly now: Date;
}

async function moveTask(tx: Tx, move: TaskMove): Promise<TaskTransition> {
  const { verdict, now, maxAttempts } = move;
  const { outcome, claim, task } = verdict;
  const stays = { completed: [], unblocked: [], parts: [] };
  if (outcome.name === "done") {
    const finished = await completeTask(tx, claim, now);
    if (!finished) return { status: "lost", ...stays };
    // With children of its own that came up meanwhile, its work is done and it waits for them.
    return { status: finished.completed.length > 0 ? "done" : "pending", ...finished, parts: [] };
  }
  if (move.parts.length > 0) return splitIntoParts(tx, move);
  const tries = outcome.attempt - task.attemptsBefore;
  if (maxAttempts > 0 && tries >= maxAttempts) {
    const reason = `needs a person: ${tries} attempts failed, the last because ${lastError(outcome)}`;
    const held = await blockTask(tx, claim, { cause: "attempts", reason }, now);
    return { status: held ? "blocked" : "lost", ...stays };
  }
  const held = await returnTask(tx, claim, { reason: outcome.reason }, now);
  return { status: held ? "pending" : "lost", ...stays };
}

/** The attempt that proposes a split counts as failed, and no more towards the cap: its parts start afresh. */
async function splitIntoParts(tx: Tx, { verdict, parts, now }: TaskMove): Promise<TaskTransition> {
  const { claim, outcome } = verdict;
  const stays = { completed: [], unblocked: [] };
  const held = await returnTask(tx, claim, { reason: null }, now);
  if (!held) return { status: "lost", ...stays, parts: [] };
  const children = await splitTask(tx, claim.taskId, parts, now, {
    attemptsBefore: await lastAttempt(tx, claim.taskId),
    runId: outcome.runId,
  });
  await resetMetrics(tx, claim.taskId, now);
  return { status: "pending", ...stays, parts: children };
}

/** The verdict's reason, with the line that names the error where it does not. */
function lastError({ reason, errorExcerpt }: Outcome): string {
  const line = clip(oneLine(redact(firstErrorLine(errorExcerpt) ?? "")), 160);
  const why = reason.replace(/[.:]+$/, "");
  return line === "" || reason.includes(line) ? why : `${why}: ${line}`;
}

function failedStory({ task, outcome }: Verdict) {
  const error = outcome.errorExcerpt ? extractError(outcome.errorExcerpt, headlineChars) : outcome.reason;
  const category = outcome.category ?? "unknown";
  const duration = outcome.durationMs;
  return {
    type: "story_failed",
    storyId: task.id,
    storyTitle: task.title,
    error,
    category,
    duration,
  } as const;
}

function hintOf({ permissionHint, outcome: { session, agentError } }: Verdict): string | null {
  if (agentError?.hint) return agentError.hint;
  return session.permissionDenials.length > 0 ? permissionHint : null;
}

/** The error itself on a screen: about a dozen lines. */
const headlineChars = 600;

function finishedEvent(verdict: Verdict, transition: TaskTransition): JsonObject {
  const { outcome, task, number } = verdict;
  return {
    iteration: number,
    taskId: task.id,
    title: task.title,
    attempt: outcome.attempt,
    outcome: outcome.name,
    verification: outcome.verification,
    reason: outcome.reason,
    category: outcome.category,
    errorExcerpt: outcome.errorExcerpt,
    errorHeadline: extractError(outcome.errorExcerpt, headlineChars),
    files: outcome.work.files,
    warnings: outcome.work.warnings,
    model: outcome.model,
    costUsd: outcome.costUsd,
    costSource: outcome.session.costSource,
    tokensInput: outcome.tokens?.input ?? null,
    tokensOutput: outcome.tokens?.output ?? null,
    tokensCacheRead: outcome.tokens?.cacheRead ?? null,
    tokensCacheWrite: outcome.tokens?.cacheWrite ?? null,
    agentModel: outcome.session.model,
    sessionId: outcome.session.sessionId,
    stopReason: outcome.session.stopReason,
    errorKind: outcome.agentError?.kind ?? null,
    permissionDenials: outcome.session.permissionDenials,
    hint: hintOf(verdict),
    durationMs: outcome.durationMs,
    taskStatus: transition.status,
    unblocked: transition.unblocked.map((task) => task.id),
    splitInto: transition.parts.map((task) => task.id),
    splitRefused: outcome.splitRefused ?? null,
  };
}
