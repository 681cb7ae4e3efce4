import type { AttemptRef } from "../base/attempt-ref.ts";
import { joinSafe, replaceSafe, type SafeText, safe } from "../base/safe-text.ts";
import { count } from "../base/text.ts";
import { attemptsOf } from "../outcome/outcome-store.ts";
import type { Reader } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";
import { safeLine } from "../trust/safe-text.ts";
import { evidenceOf } from "./evidence.ts";
import instructions from "./instructions.md";
import { runTally } from "./model-history.ts";
import { metricsOf, type TaskMetrics } from "./strategy-store.ts";
import warning from "./stuck-warning.md";

/** The attempt that a prompt is built for. */
export interface StatusRequest extends Pick<AttemptRef, "attempt" | "runId"> {
  readonly task: Task;
  /** Within the run, from 1. */
  readonly iteration: number;
  /** 0: no limit. */
  readonly maxIterations: number;
  /** 0: no limit. */
  readonly maxAttempts: number;
  /** Consecutive failures after which a task is stuck; 0: never. */
  readonly stuckAfter: number;
  readonly model: string;
  /** Why this model was chosen. */
  readonly rationale: string;
}

/** A prompt section that the strategy provides. The text contains no control characters. */
export interface StatusSection {
  readonly name: "stuck" | "status";
  readonly heading: SafeText;
  readonly text: SafeText;
  readonly reason: string;
}

/** The sigils that the strategy reads, as prompt text. */
export const strategyInstructions: SafeText = instructions.trim();

/** Returns the warning of a stuck task (STRAT-4), and on its last attempt the loop status (STRAT-6). */
export async function statusSections(db: Reader, request: StatusRequest): Promise<readonly StatusSection[]> {
  // Nothing is known of a task before its first attempt, which is seldom its last.
  if (request.attempt === 1 && !isLastAttempt(request)) return [];
  const metrics = await metricsOf(db, request.task.id);
  const warning = await stuckWarning(db, metrics, request);
  return isLastAttempt(request) ? [...warning, await loopStatus(db, request, metrics)] : warning;
}

/** An agent acts on the status only where no other attempt follows: it then leaves what a person needs. */
function isLastAttempt({ task, attempt, maxAttempts }: StatusRequest): boolean {
  return maxAttempts > 0 && attempt >= task.attemptsBefore + maxAttempts;
}

async function stuckWarning(
  db: Reader,
  metrics: TaskMetrics,
  { task, stuckAfter }: StatusRequest,
): Promise<readonly StatusSection[]> {
  const failures = metrics.consecutiveFailures;
  const stuck = metrics.stuck || (stuckAfter > 0 && failures >= stuckAfter);
  if (!stuck) return [];
  const evidence = evidenceOf((await attemptsOf(db, task.id)).slice(-failures));
  const values = new Map([
    ["failures", safe`${failures}`],
    ["evidence", evidence],
  ]);
  const text = replaceSafe(warning.trim(), /\{\{(\w+)\}\}/g, (slot, name = slot) => values.get(name) ?? slot);
  const reason = `${failures} consecutive failures: ${evidence}`;
  return [{ name: "stuck", heading: safe`### Stuck Loop Warning`, text, reason }];
}

async function loopStatus(db: Reader, request: StatusRequest, metrics: TaskMetrics): Promise<StatusSection> {
  const { iteration, maxIterations, attempt, maxAttempts } = request;
  const { done, total } = await runTally(db, request.runId);
  const ofIterations = maxIterations > 0 ? safe` of ${maxIterations}` : safe``;
  const tries = attempt - request.task.attemptsBefore;
  const ofAttempts = maxAttempts > 0 ? safe` of at most ${maxAttempts}` : safe``;
  const failures = metrics.consecutiveFailures;
  const consecutive = failures > 0 ? safe`, ${count(failures, "failure")} in a row` : safe``;
  const rate =
    total > 0
      ? [
          safe`- Run success rate: ${Math.round((100 * done) / total)}% (${done} of ${count(total, "attempt")} done)`,
        ]
      : [];
  const lines = [
    safe`- This is the last attempt. If you cannot finish, leave the best state and name what a person must decide.`,
    safe`- Iteration ${iteration}${ofIterations} of this run; attempt ${tries}${ofAttempts} at this task${consecutive}`,
    ...rate,
    safe`- Model: ${inline(request.model, 60)} (${inline(request.rationale, 100)})`,
  ];
  const reason = "progress of the run";
  return { name: "status", heading: safe`### Loop Status`, text: joinSafe(lines, "\n"), reason };
}

function inline(text: string, max: number): SafeText {
  return safeLine(text, max);
}
