import { clip, count, oneLine } from "../base/text.ts";
import { attemptsOf } from "../outcome/outcome-store.ts";
import type { Reader } from "../store/db.ts";
import type { Task } from "../tasks/task.ts";
import { stripControls } from "../trust/terminal.ts";
import { metricsOf, type TaskMetrics } from "./metrics/strategy-store.ts";
import { runTally } from "./model/model-history.ts";
import { evidenceOf } from "./status/evidence.ts";
import instructions from "./status/instructions.md";
import warning from "./status/stuck-warning.md";

/** The attempt that a prompt is built for. */
export interface StatusRequest {
  readonly task: Task;
  readonly attempt: number;
  readonly runId: string;
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
  readonly heading: string;
  readonly text: string;
  readonly reason: string;
}

/** The sigils that the strategy reads, as prompt text. */
export const strategyInstructions: string = instructions.trim();

/** Returns the warning of a stuck task (STRAT-4), where it is stuck, and the loop status (STRAT-6). */
export async function statusSections(db: Reader, request: StatusRequest): Promise<readonly StatusSection[]> {
  const metrics = await metricsOf(db, request.task.id);
  return [...(await stuckWarning(db, metrics, request)), await loopStatus(db, request, metrics)];
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
  const text = warning
    .trim()
    .replace("{{failures}}", String(failures))
    .replace("{{evidence}}", () => evidence);
  const reason = `${failures} consecutive failures: ${evidence}`;
  return [{ name: "stuck", heading: "### Stuck Loop Warning", text, reason }];
}

async function loopStatus(db: Reader, request: StatusRequest, metrics: TaskMetrics): Promise<StatusSection> {
  const { iteration, maxIterations, attempt, maxAttempts } = request;
  const { done, total } = await runTally(db, request.runId);
  const ofIterations = maxIterations > 0 ? ` of ${maxIterations}` : "";
  const tries = attempt - request.task.attemptsBefore;
  const ofAttempts = maxAttempts > 0 ? ` of at most ${maxAttempts}` : "";
  const failures = metrics.consecutiveFailures;
  const consecutive = failures > 0 ? `, ${count(failures, "failure")} in a row` : "";
  const rate =
    total > 0
      ? [
          `- Run success rate: ${Math.round((100 * done) / total)}% (${done} of ${count(total, "attempt")} done)`,
        ]
      : [];
  const lines = [
    `- Iteration ${iteration}${ofIterations} of this run; attempt ${tries}${ofAttempts} at this task${consecutive}`,
    ...rate,
    `- Model: ${inline(request.model, 60)} (${inline(request.rationale, 200)})`,
  ];
  const reason = "progress of the run";
  return { name: "status", heading: "### Loop Status", text: lines.join("\n"), reason };
}

function inline(text: string, max: number): string {
  return clip(oneLine(stripControls(text)), max);
}
