import type { RunLimits } from "../../base/shared-settings.ts";
import { count } from "../../base/text.ts";
import { record } from "../../events/event-store.ts";
import { recordStory } from "../../events/story-events.ts";
import { wayOutOfGuard } from "../../outcome/judge.ts";
import { type Attempt, attemptsOf, lastAttempt, recordOutcome } from "../../outcome/outcome-store.ts";
import { isMergeConflict } from "../../outcome/refused-commit.ts";
import type { Tx } from "../../store/port/db.ts";
import { evidenceOfNoProgress } from "../../strategy/parking.ts";
import { countAttempt } from "../../strategy/strategy-store.ts";
import { resetMetrics } from "../../strategy/task-metrics.ts";
import { isTakenOver, whyClaimEnded } from "../../tasks/graph/claim-store.ts";
import { readSplit, type SplitPart, type SplitProposal } from "../../tasks/graph/split-proposal.ts";
import { blockTask, completeTask, returnTask, splitTask } from "../../tasks/graph/task-transitions.ts";
import type { Verdict } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";
import { failedStory, finishedEvent, lastError, type TaskTransition } from "./finished-event.ts";

/**
 * Records outcome, memory and task state with their events, in the caller's transaction. When the claim is no longer the
 * task's, the outcome is recorded and the task does not change; nothing of it is recorded when another machine took the task over.
 */
export async function recordVerdict(
  tx: Tx,
  loop: Pick<Loop, "memory" | "options" | "projectRoot">,
  verdict: Verdict,
  now: Date,
): Promise<TaskTransition> {
  const { runId } = verdict.outcome;
  if (tx.dialect.place !== "" && (await isTakenOver(tx, verdict.claim))) {
    const transition = { status: "lost", completed: [], unblocked: [], parts: [] } as const;
    const notCounted = "its lease ended, and the task is another run's to do";
    await record(
      tx,
      { type: "iteration.finished", runId, data: { ...finishedEvent(verdict, transition), notCounted } },
      now,
    );
    return transition;
  }
  const split = await considerSplit(tx, verdict);
  const refused = split && "refused" in split ? { splitRefused: split.refused } : {};
  const judged = { ...verdict, outcome: { ...verdict.outcome, ...refused } };
  const { outcome } = judged;
  await recordOutcome(tx, outcome);
  await loop.memory.capture(tx, outcome, now);
  await countAttempt(tx, outcome, loop.options.limits, now);
  const parts = split && "parts" in split ? split.parts : [];
  const transition = await moveTask(tx, { verdict: judged, limits: loop.options.limits, parts, now });
  const notCounted = transition.status === "lost" ? await whyClaimEnded(tx, outcome.taskId) : null;
  const data = { ...finishedEvent(judged, transition), notCounted };
  await record(tx, { type: "iteration.finished", runId, data }, now);
  if (outcome.name !== "done") {
    await recordStory(tx, { runId, projectRoot: loop.projectRoot }, failedStory(judged), now);
  }
  return transition;
}

/** Returns the checked split that a failed attempt proposed; undefined when it proposed none. */
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
  readonly limits: Pick<RunLimits, "maxAttempts" | "stuckAfter">;
  /** The tasks to split the task into; empty: it is not split. */
  readonly parts: readonly SplitPart[];
  readonly now: Date;
}

async function moveTask(tx: Tx, move: TaskMove): Promise<TaskTransition> {
  const { verdict, now } = move;
  const { outcome, claim } = verdict;
  const unchanged = { completed: [], unblocked: [], parts: [] };
  if (outcome.name === "done") {
    const finished = await completeTask(tx, claim, now);
    if (!finished) return { status: "lost", ...unchanged };
    // Children that were added in the meantime: its own work is done, and it waits for them.
    return { status: finished.completed.length > 0 ? "done" : "pending", ...finished, parts: [] };
  }
  if (move.parts.length > 0 && verdict.wayOut === undefined) return splitIntoParts(tx, move);
  const evidence = await whyAttemptsEnd(tx, move);
  if (evidence !== null) {
    const wayOut = wayOutOfGuard(outcome, claim.taskId);
    const reason = `needs a person: ${wayOut === null ? evidence : `${wayOut} (${evidence})`}`;
    const held = await blockTask(tx, claim, { cause: "attempts", reason }, now);
    return { status: held ? "blocked" : "lost", ...unchanged };
  }
  const held = await returnTask(tx, claim, { reason: outcome.reason }, now);
  return { status: held ? "pending" : "lost", ...unchanged };
}

/**
 * Returns why the task is not tried again without a person: nothing that an agent can change, the attempt limit, or no
 * progress (STRAT-4); null: it is.
 */
async function whyAttemptsEnd(tx: Tx, { verdict, limits }: TaskMove): Promise<string | null> {
  const { outcome, task, wayOut } = verdict;
  // Not behind the hook's output, whose end may be clipped.
  if (wayOut !== undefined) return `${wayOut} (${lastError(outcome)})`;
  const counted = outcome.attempt - task.attemptsBefore;
  if (limits.maxAttempts > 0 && counted >= limits.maxAttempts) {
    return `${count(counted, "attempt")} failed, the last because ${lastError(outcome)}`;
  }
  const attempts = await attemptsOf(tx, task.id);
  const failures = attempts.filter(({ attempt }) => attempt > task.attemptsBefore);
  const last = failures.slice(-maxConflicts);
  if (last.length === maxConflicts && last.every(isConflict))
    return `its verified work could not land ${maxConflicts} times in a row: ${lastError(outcome)}`;
  if (isMergeConflict(outcome.signature)) return null;
  const evidence = evidenceOfNoProgress(
    failures.filter((attempt) => !isConflict(attempt)),
    limits,
  );
  return evidence && `${evidence}: ${lastError(outcome)}`;
}

/** Consecutive merge conflicts after which a person decides. */
const maxConflicts = 3;

function isConflict({ errorSignature }: Pick<Attempt, "errorSignature">): boolean {
  return isMergeConflict(errorSignature);
}

/** The attempt that proposes a split counts as failed, but not towards the limit: its parts start at zero. */
async function splitIntoParts(tx: Tx, { verdict, parts, now }: TaskMove): Promise<TaskTransition> {
  const { claim, outcome } = verdict;
  const unchanged = { completed: [], unblocked: [] };
  const held = await returnTask(tx, claim, { reason: null }, now);
  if (!held) return { status: "lost", ...unchanged, parts: [] };
  const children = await splitTask(tx, claim.taskId, parts, now, {
    attemptsBefore: await lastAttempt(tx, claim.taskId),
    runId: outcome.runId,
  });
  await resetMetrics(tx, claim.taskId);
  return { status: "pending", ...unchanged, parts: children };
}
