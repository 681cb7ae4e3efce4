import type { RedactedText } from "../base/safe-text.ts";
import type { Outcome } from "../outcome/outcome.ts";
import { isMergeConflict } from "../outcome/refused-commit.ts";
import type { Reader, Tx } from "../store/port/db.ts";
import { insertRow } from "../store/port/rows.ts";

/** The counts of one task's attempts. Times are ISO 8601. */
export interface TaskMetrics {
  readonly totalAttempts: number;
  /** Since the last success or reset. */
  readonly consecutiveFailures: number;
  readonly lastAttemptAt: string | null;
  readonly lastSuccessAt: string | null;
  readonly difficulty: string | null;
  /** The model that completed the task. */
  readonly suggestedModel: string | null;
  readonly stuck: boolean;
  /** The model that the latest attempt requested with `<next-model>`. */
  readonly nextModel: RedactedText | null;
}

const initialMetrics: TaskMetrics = {
  totalAttempts: 0,
  consecutiveFailures: 0,
  lastAttemptAt: null,
  lastSuccessAt: null,
  difficulty: null,
  suggestedModel: null,
  stuck: false,
  nextModel: null,
};

type MetricsRow = Omit<TaskMetrics, "stuck"> & { readonly stuck: number };

const columns = `total_attempts AS "totalAttempts", consecutive_failures AS "consecutiveFailures",
  last_attempt_at AS "lastAttemptAt", last_success_at AS "lastSuccessAt", difficulty_estimate AS "difficulty",
  suggested_model AS "suggestedModel", stuck_flag AS "stuck", next_model AS "nextModel"`;

/** The task's metrics; all zero when it was never tried. */
export async function metricsOf(q: Reader, taskId: string): Promise<TaskMetrics> {
  const row = await q.get<MetricsRow>(`SELECT ${columns} FROM strategy_metrics WHERE task_id = ?`, [taskId]);
  if (!row) return initialMetrics;
  const { totalAttempts, consecutiveFailures } = row;
  return {
    ...row,
    totalAttempts: Number(totalAttempts),
    consecutiveFailures: Number(consecutiveFailures),
    stuck: Number(row.stuck) === 1,
  };
}

/** Counts a judged attempt (STRAT-1). A merge conflict is no failure: the work was verified. `stuckAfter` 0: nothing is ever called stuck. */
export async function countAttempt(
  tx: Tx,
  outcome: Outcome,
  limits: { readonly stuckAfter: number },
  now: Date,
): Promise<void> {
  const before = await metricsOf(tx, outcome.taskId);
  const done = outcome.name === "done";
  const failed = done || isMergeConflict(outcome.signature) ? 0 : 1;
  const consecutiveFailures = done ? 0 : before.consecutiveFailures + failed;
  const at = now.toISOString();
  const after: TaskMetrics = {
    totalAttempts: before.totalAttempts + 1,
    consecutiveFailures,
    lastAttemptAt: at,
    lastSuccessAt: done ? at : before.lastSuccessAt,
    difficulty: outcome.claims.difficulty ?? before.difficulty,
    suggestedModel: done ? outcome.model : before.suggestedModel,
    stuck: limits.stuckAfter > 0 && consecutiveFailures >= limits.stuckAfter,
    nextModel: outcome.claims.nextModel,
  };
  await putMetrics(tx, { taskId: outcome.taskId, metrics: after });
}

/** A reset or split task starts afresh: not stuck, no failures in a row, no pending model. Its history stays. */
export async function clearMetrics(tx: Tx, taskId: string): Promise<void> {
  const before = await metricsOf(tx, taskId);
  if (before.totalAttempts === 0) return;
  const metrics = { ...before, consecutiveFailures: 0, stuck: false, nextModel: null };
  await putMetrics(tx, { taskId, metrics });
}

interface Put {
  readonly taskId: string;
  readonly metrics: TaskMetrics;
}

async function putMetrics(tx: Tx, { taskId, metrics }: Put): Promise<void> {
  const row = {
    task_id: taskId,
    total_attempts: metrics.totalAttempts,
    consecutive_failures: metrics.consecutiveFailures,
    last_attempt_at: metrics.lastAttemptAt,
    last_success_at: metrics.lastSuccessAt,
    difficulty_estimate: metrics.difficulty,
    suggested_model: metrics.suggestedModel,
    stuck_flag: metrics.stuck ? 1 : 0,
    next_model: metrics.nextModel,
  };
  await insertRow(tx, "strategy_metrics", row, ["task_id"]);
}

/** Returns the value in dollars that a person gave the task; null: none. */
export async function taskValueOf(q: Reader, taskId: string): Promise<number | null> {
  const row = await q.get<{ value: number | null }>(
    "SELECT value_usd AS value FROM strategy_metrics WHERE task_id = ?",
    [taskId],
  );
  return row?.value ?? null;
}

/** Stores the value in dollars that a person gives the task. */
export async function setTaskValue(tx: Tx, taskId: string, usd: number): Promise<void> {
  await tx.run(
    `INSERT INTO strategy_metrics (task_id, value_usd) VALUES (?, ?)
     ON CONFLICT (task_id) DO UPDATE SET value_usd = excluded.value_usd`,
    [taskId, usd],
  );
}

/** Deletes a task's metrics. */
export async function deleteMetrics(tx: Tx, taskId: string): Promise<void> {
  await tx.run("DELETE FROM strategy_metrics WHERE task_id = ?", [taskId]);
}
