import type { JsonObject } from "../../base/json.ts";
import { oneLine } from "../../base/text.ts";
import type { StoryEvents } from "../../events/story-events.ts";
import { firstErrorLine } from "../../outcome/error-line.ts";
import { extractError } from "../../outcome/extract-error.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { safeLine } from "../../trust/safe-text.ts";
import type { Verdict } from "../rows/iteration.ts";

/** The new status of the task, and the tasks that change with it. */
export interface TaskTransition {
  readonly status: "done" | "pending" | "blocked" | "lost";
  readonly completed: readonly Task[];
  readonly unblocked: readonly Task[];
  /** Its new children. */
  readonly parts: readonly Task[];
}

/** Returns the verdict's reason, and the first error line unless the reason contains it. */
export function lastError({ reason, errorExcerpt }: Outcome): string {
  const line = safeLine(firstErrorLine(errorExcerpt) ?? "", 160);
  const why = reason.replace(/(?<![.:])[.:]+$/, "");
  const isStated = oneLine(reason).includes(line.replace(/…$/, ""));
  return line === "" || isStated ? why : `${why}: ${line}`;
}

export function failedStory({
  task,
  outcome,
}: Verdict): StoryEvents["story_failed"] & { readonly type: "story_failed" } {
  const { errorExcerpt, reason, category, durationMs } = outcome;
  return {
    type: "story_failed",
    storyId: task.id,
    storyTitle: task.title,
    error: errorExcerpt ? extractError(errorExcerpt, headlineChars) : reason,
    category: category ?? "unknown",
    duration: durationMs,
  };
}

function hintOf({ permissionHint, wayOut, outcome: { session, agentError } }: Verdict): string | null {
  if (wayOut !== undefined) return wayOut;
  if (agentError?.hint) return agentError.hint;
  return session.permissionDenials.length > 0 ? permissionHint : null;
}

/** The maximum length of the error excerpt for display: about twelve lines. */
const headlineChars = 600;

export function finishedEvent(verdict: Verdict, transition: TaskTransition): JsonObject {
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
    diff: verdict.size ? { ...verdict.size } : null,
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
    contextUsed: outcome.session.contextUsed ?? null,
    contextSize: outcome.session.contextSize ?? null,
    compactions: outcome.session.compactions ?? null,
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
