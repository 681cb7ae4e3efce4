import type { JsonObject } from "../base/json.ts";
import { record } from "../events/outbox-store.ts";
import { extractError } from "../outcome/extract-error.ts";
import type { Outcome } from "../outcome/outcome.ts";
import { recordOutcome } from "../outcome/outcome-store.ts";
import type { Tx } from "../store/db.ts";
import { blockTask, completeTask, returnTask } from "../tasks/finish-task.ts";
import type { Task } from "../tasks/task.ts";
import { protectedPaths } from "../workspace/baseline.ts";
import { head } from "../workspace/status.ts";
import type { Iteration } from "./begin-iteration.ts";
import { commitMessage } from "./commit-message.ts";
import { endIteration } from "./iteration-store.ts";
import { rememberLeftovers } from "./leftovers.ts";
import { type Loop, write } from "./loop.ts";
import { insertPendingCommit, type PendingCommit } from "./pending-commit-store.ts";
import { untouched, writeWorkspaceState } from "./workspace-state-store.ts";

export interface JudgedIteration {
  readonly iteration: Iteration;
  readonly outcome: Outcome;
  /** False: the work touched the project's own git hooks, so they must not run on it. */
  readonly hooks: boolean;
}

/** What became of the task. */
interface Transition {
  readonly status: "done" | "pending" | "blocked" | "lost";
  readonly completed: readonly Task[];
  readonly unblocked: readonly Task[];
}

/**
 * Outcome, memory, task state and the pending commit in one transaction: after a kill either all of it is there or
 * none. Under a token that is no longer the task's, the late result is kept as an outcome but moves no task.
 */
export async function recordIteration(loop: Loop, end: JudgedIteration): Promise<void> {
  const { iteration, outcome } = end;
  const headAfter = await head(loop.workspace);
  const leftovers = outcome.name === "done" ? undefined : await rememberLeftovers(loop, iteration.state);
  await write(loop, async (tx) => {
    const now = loop.clock.now();
    await recordOutcome(tx, outcome, now);
    await loop.memory.capture(tx, outcome, now);
    const transition = await moveTask(tx, { loop, iteration, outcome, now });
    if (outcome.name === "done" && transition.status !== "lost") {
      await insertPendingCommit(tx, owedCommit(loop, end, transition), now);
      await writeWorkspaceState(tx, { ...untouched, salvages: iteration.state.salvages });
    } else {
      await leftovers?.save(tx);
    }
    await endIteration(tx, { id: iteration.id, at: now.toISOString(), kind: "outcome", headAfter });
    const data = finishedEvent(iteration, outcome, transition);
    await record(tx, { type: "iteration.finished", runId: loop.runId, data }, now);
  });
}

interface Move {
  readonly loop: Loop;
  readonly iteration: Iteration;
  readonly outcome: Outcome;
  readonly now: Date;
}

async function moveTask(tx: Tx, { loop, iteration, outcome, now }: Move): Promise<Transition> {
  const stays = { completed: [], unblocked: [] };
  if (outcome.name === "done") {
    const finished = await completeTask(tx, iteration.claim, now);
    if (!finished) return { status: "lost", ...stays };
    // With children of its own that came up meanwhile, its work is done and it waits for them.
    return { status: finished.completed.length > 0 ? "done" : "pending", ...finished };
  }
  const { maxAttempts } = loop.options;
  const tries = outcome.attempt - iteration.task.attemptsBefore;
  if (maxAttempts > 0 && tries >= maxAttempts) {
    const reason = `needs a person: ${tries} attempts failed, the last because ${outcome.reason}`;
    const held = await blockTask(tx, iteration.claim, { cause: "attempts", reason }, now);
    return { status: held ? "blocked" : "lost", ...stays };
  }
  const held = await returnTask(tx, iteration.claim, { reason: outcome.reason }, now);
  return { status: held ? "pending" : "lost", ...stays };
}

function owedCommit(
  loop: Loop,
  { iteration, outcome, hooks }: JudgedIteration,
  transition: Transition,
): PendingCommit {
  const theirs = new Set(iteration.state.baseline ? protectedPaths(iteration.state.baseline) : []);
  const finished = transition.completed;
  const sources = finished.flatMap((task) => (task.source ? [task.source.path] : []));
  const ticked = [...new Set(sources)].filter((path) => !theirs.has(path));
  return {
    iterationId: iteration.id,
    taskId: iteration.taskId,
    base: iteration.state.baseline?.head ?? iteration.headBefore,
    paths: [...new Set([...outcome.work.changedPaths, ...ticked])],
    finished: finished.map((task) => task.id),
    message: commitMessage({ task: iteration.task, outcome, template: loop.options.commitTemplate }),
    wanted: loop.options.commitEnabled,
    hooks,
  };
}

/** The error itself on a screen: about a dozen lines. */
const headlineChars = 600;

function finishedEvent(iteration: Iteration, outcome: Outcome, transition: Transition): JsonObject {
  return {
    iteration: iteration.number,
    taskId: iteration.taskId,
    title: iteration.task.title,
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
    tokensInput: outcome.tokens?.input ?? null,
    tokensOutput: outcome.tokens?.output ?? null,
    durationMs: outcome.durationMs,
    taskStatus: transition.status,
    unblocked: transition.unblocked.map((task) => task.id),
  };
}
