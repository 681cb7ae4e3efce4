import type { JsonObject } from "../base/json.ts";
import { clip, oneLine } from "../base/text.ts";
import { record } from "../events/outbox-store.ts";
import { recordStory } from "../events/story-events.ts";
import { resetStrategy } from "../memory/reset-memory.ts";
import { firstErrorLine } from "../outcome/error-line.ts";
import { extractError } from "../outcome/extract-error.ts";
import { lastWords } from "../outcome/last-words.ts";
import type { Outcome } from "../outcome/outcome.ts";
import { recordOutcome } from "../outcome/outcome-store.ts";
import type { Tx } from "../store/db.ts";
import { blockTask, completeTask, returnTask, splitTask } from "../tasks/finish-task.ts";
import { readSplit, type SplitPart, type SplitProposal } from "../tasks/split-proposal.ts";
import type { Task } from "../tasks/task.ts";
import { redact } from "../trust/redact.ts";
import { protectedPaths } from "../workspace/baseline.ts";
import { leftBehind } from "../workspace/left-behind.ts";
import { head } from "../workspace/status.ts";
import type { Iteration } from "./begin-iteration.ts";
import { commitMessage } from "./commit-message.ts";
import { endIteration } from "./iteration-store.ts";
import { rememberLeftovers } from "./leftovers.ts";
import { type Loop, writeOnTheWay } from "./loop.ts";
import { insertPendingCommit, type PendingCommit } from "./pending-commit-store.ts";
import { untouched, writeWorkspaceState } from "./workspace-state-store.ts";

export interface JudgedIteration {
  readonly iteration: Iteration;
  readonly outcome: Outcome;
  /** False: the work touched the project's own git hooks, so they must not run on it. */
  readonly hooks: boolean;
  /** The prompt asked for a split: the task is stuck (STRAT-4). */
  readonly maySplit: boolean;
}

/** What became of the task. */
interface Transition {
  readonly status: "done" | "pending" | "blocked" | "lost";
  readonly completed: readonly Task[];
  readonly unblocked: readonly Task[];
  /** Its new children. */
  readonly parts: readonly Task[];
}

/**
 * Outcome, memory, task state and the pending commit in one transaction: after a kill either all of it is there or
 * none. Under a token that is no longer the task's, the late result is kept as an outcome but moves no task.
 */
export async function recordIteration(loop: Loop, end: JudgedIteration): Promise<void> {
  const { iteration } = end;
  const judged = await withTree(loop, end);
  const headAfter = await head(loop.workspace);
  const { onFailure } = loop.options;
  const leftovers =
    judged.name === "done" ? undefined : await rememberLeftovers(loop, iteration.state, onFailure);
  await writeOnTheWay(loop, async (tx) => {
    const now = loop.clock.now();
    const split = await considerSplit(tx, end);
    const refused = split && "refused" in split ? { splitRefused: split.refused } : {};
    const outcome = { ...judged, ...refused };
    await recordOutcome(tx, outcome, now);
    await loop.memory.capture(tx, outcome, now);
    const transition = await moveTask(tx, {
      loop,
      iteration,
      outcome,
      now,
      parts: split && "parts" in split ? split.parts : [],
    });
    if (outcome.name === "done" && transition.status !== "lost") {
      await insertPendingCommit(tx, owedCommit(loop, { ...end, outcome }, transition), now);
      const { salvages, finished: earlier } = iteration.state;
      const finished = loop.options.commitEnabled ? [] : [...earlier, ...outcome.work.changedPaths];
      await writeWorkspaceState(tx, { ...untouched, salvages, finished: [...new Set(finished)] });
    } else {
      await leftovers?.save(tx);
    }
    await endIteration(tx, { id: iteration.id, at: now.toISOString(), kind: "outcome", headAfter });
    const data = finishedEvent(iteration, outcome, transition);
    await record(tx, { type: "iteration.finished", runId: loop.runId, data }, now);
    if (outcome.name !== "done") await recordStory(tx, loop, failedStory(iteration, outcome), now);
  });
}

/** What a failed attempt leaves behind, for telling progress from repetition. */
async function withTree(loop: Loop, { iteration, outcome }: JudgedIteration): Promise<Outcome> {
  if (outcome.name === "done") return outcome;
  const { commits, changedPaths } = outcome.work;
  const from = iteration.state.baseline?.head ?? null;
  return { ...outcome, tree: await leftBehind(loop.workspace, { from, commits, changedPaths }) };
}

/** The split that a failed attempt proposed, checked; undefined when it proposed none. */
async function considerSplit(
  tx: Tx,
  { iteration, outcome, maySplit }: JudgedIteration,
): Promise<SplitProposal | undefined> {
  const checklist = outcome.claims.memory.subtasks;
  if (checklist === null || outcome.name === "done") return undefined;
  if (!maySplit) return { refused: "a task is split once it is stuck, and this one was not" };
  return readSplit(tx, iteration.task, checklist);
}

interface Move {
  readonly loop: Loop;
  readonly iteration: Iteration;
  readonly outcome: Outcome;
  readonly now: Date;
  /** What the task is to be split into; none: it is not. */
  readonly parts: readonly SplitPart[];
}

async function moveTask(tx: Tx, move: Move): Promise<Transition> {
  const { loop, iteration, outcome, now } = move;
  const stays = { completed: [], unblocked: [], parts: [] };
  if (outcome.name === "done") {
    const finished = await completeTask(tx, iteration.claim, now);
    if (!finished) return { status: "lost", ...stays };
    // With children of its own that came up meanwhile, its work is done and it waits for them.
    return { status: finished.completed.length > 0 ? "done" : "pending", ...finished, parts: [] };
  }
  if (move.parts.length > 0) return divide(tx, move);
  const { maxAttempts } = loop.options;
  const tries = outcome.attempt - iteration.task.attemptsBefore;
  if (maxAttempts > 0 && tries >= maxAttempts) {
    const reason = `needs a person: ${tries} attempts failed, the last because ${lastError(outcome)}`;
    const held = await blockTask(tx, iteration.claim, { cause: "attempts", reason }, now);
    return { status: held ? "blocked" : "lost", ...stays };
  }
  const held = await returnTask(tx, iteration.claim, { reason: outcome.reason }, now);
  return { status: held ? "pending" : "lost", ...stays };
}

/** The attempt that proposes a split counts as failed, and no more towards the cap: its parts start afresh. */
async function divide(tx: Tx, { loop, iteration, now, parts }: Move): Promise<Transition> {
  const stays = { completed: [], unblocked: [] };
  const held = await returnTask(tx, iteration.claim, { reason: null }, now);
  if (!held) return { status: "lost", ...stays, parts: [] };
  const children = await splitTask(tx, iteration.taskId, parts, now, loop.runId);
  await resetStrategy(tx, iteration.taskId, now);
  return { status: "pending", ...stays, parts: children };
}

/** The verdict's reason, with the line that names the error where it does not. */
function lastError({ reason, errorExcerpt }: Outcome): string {
  const line = clip(oneLine(redact(firstErrorLine(errorExcerpt) ?? "")), 160);
  const why = reason.replace(/[.:]+$/, "");
  return line === "" || reason.includes(line) ? why : `${why}: ${line}`;
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
    story: {
      title: iteration.task.title,
      files: outcome.work.files,
      summary: lastWords(redact(outcome.finalMessage), 500),
      durationMs: outcome.durationMs,
    },
  };
}

function failedStory(iteration: Iteration, outcome: Outcome) {
  const error = outcome.errorExcerpt ? extractError(outcome.errorExcerpt, headlineChars) : outcome.reason;
  const { title, id } = iteration.task;
  const category = outcome.category ?? "unknown";
  const duration = outcome.durationMs;
  return { type: "story_failed", storyId: id, storyTitle: title, error, category, duration } as const;
}

function hintOf({ agent }: Iteration, { session, agentError }: Outcome): string | null {
  if (agentError?.hint) return agentError.hint;
  return session.permissionDenials.length > 0 ? agent.permissionHint : null;
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
    hint: hintOf(iteration, outcome),
    durationMs: outcome.durationMs,
    taskStatus: transition.status,
    unblocked: transition.unblocked.map((task) => task.id),
    splitInto: transition.parts.map((task) => task.id),
    splitRefused: outcome.splitRefused ?? null,
  };
}
