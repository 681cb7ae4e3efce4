import type { Pacer } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import { record } from "../events/event-store.ts";
import type { Db, Reader, Tx } from "../store/port/db.ts";
import { safeLine } from "../trust/safe-text.ts";
import { clearMetrics, deleteMetrics } from "./strategy-store.ts";

/** Clears the stuck flag and the consecutive failures of a task that is reset, split or undone. Its history stays. */
export async function resetMetrics(tx: Tx, taskId: string): Promise<void> {
  await clearMetrics(tx, taskId);
}

interface PruneRequest {
  /** Minimum time since a task's last attempt, in milliseconds. */
  readonly metricsMs: number;
  readonly now: Date;
  /** Maximum number of tasks. */
  readonly limit?: number;
  /** True: changes nothing. */
  readonly dryRun?: boolean;
  /** Pauses between two tasks. */
  readonly pacer?: Pacer | undefined;
}

/** Deletes the metrics of tasks that ended long ago, one transaction per task (LEARN-9). Returns the ids of the tasks. */
export async function deleteOldMetrics(db: Db, request: PruneRequest): Promise<readonly string[]> {
  const { metricsMs, now, limit = 1_000_000, dryRun = false, pacer } = request;
  const before = new Date(now.getTime() - metricsMs).toISOString();
  const rows = await db.all<{ id: string }>(
    `SELECT t.id FROM tasks t JOIN strategy_metrics s ON s.task_id = t.id
     WHERE t.status IN ('done','failed') AND COALESCE(s.last_attempt_at, '') < ? ORDER BY s.last_attempt_at, t.id LIMIT ?`,
    [before, limit],
  );
  const ids = rows.map(({ id }) => id);
  if (dryRun) return ids;
  for (const id of ids) {
    await pacer?.pause();
    await db.transaction((tx) => deleteMetrics(tx, id));
  }
  return ids;
}

const maintenanceLimit = 200;

/** Deletes at most 200 tasks' metrics. Never throws: an error becomes a `memory.failed` event. Ends early with its pacer. */
export async function maintainMetrics(
  db: Db,
  { runId, ...request }: Pick<PruneRequest, "metricsMs" | "now" | "pacer"> & { readonly runId: string },
): Promise<void> {
  try {
    await deleteOldMetrics(db, { ...request, limit: maintenanceLimit });
  } catch (error) {
    if (request.pacer?.signal.aborted) return;
    const data = { kind: "strategy", step: "prune", taskId: null, error: safeLine(messageOf(error), 500) };
    const failed = { type: "memory.failed", runId, data } as const;
    // A store that accepts no event either fails the run's next write.
    await db.transaction((tx) => record(tx, failed, request.now)).catch(() => undefined);
  }
}

/** Returns the task's difficulty estimate; `unknown` without one. */
export async function difficultyOf(q: Reader, taskId: string): Promise<string> {
  const row = await q.get<{ difficulty: string | null }>(
    "SELECT difficulty_estimate AS difficulty FROM strategy_metrics WHERE task_id = ?",
    [taskId],
  );
  return row?.difficulty ?? "unknown";
}
