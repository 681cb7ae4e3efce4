import { extractOutcomes, restoreOutcomes } from "../outcome/outcome-store.ts";
import type { Reader, Row, Tx } from "../store/db.ts";
import {
  type Archived,
  addRollups,
  insertArchived,
  type Rollup,
  readArchived,
  removeArchived,
} from "./archive/archive-store.ts";
import { extractReports, restoreReports } from "./failures/failure-store.ts";
import { extractMetrics, restoreMetrics } from "./strategy/strategy-store.ts";

/** What leaves the working tables, by task. */
export interface OldAttempts {
  /** Tasks whose outcomes and failure reports go. */
  readonly reports: readonly string[];
  /** Tasks whose metrics go. */
  readonly metrics: readonly string[];
}

interface Ages {
  readonly reportsMs: number;
  readonly metricsMs: number;
}

/** Finished tasks whose attempts, or metrics, are older than their age; at most `most` of each. Reads only. */
export async function oldAttempts(q: Reader, ages: Ages, now: Date, most: number): Promise<OldAttempts> {
  const before = (ms: number): string => new Date(now.getTime() - ms).toISOString();
  const reports = await q.all<{ id: string }>(
    `SELECT t.id FROM tasks t WHERE t.status = 'done' AND t.updated_at < ?
       AND EXISTS (SELECT 1 FROM iteration_outcomes o WHERE o.task_id = t.id)
       AND NOT EXISTS (SELECT 1 FROM iteration_outcomes o WHERE o.task_id = t.id AND o.started_at >= ?)
     ORDER BY t.updated_at, t.id LIMIT ?`,
    [before(ages.reportsMs), before(ages.reportsMs), most],
  );
  const metrics = await q.all<{ id: string }>(
    `SELECT t.id FROM tasks t JOIN strategy_metrics s ON s.task_id = t.id
     WHERE t.status IN ('done','failed') AND COALESCE(s.last_attempt_at, '') < ? ORDER BY s.last_attempt_at, t.id LIMIT ?`,
    [before(ages.metricsMs), most],
  );
  return { reports: reports.map(({ id }) => id), metrics: metrics.map(({ id }) => id) };
}

/** Moves a task's outcomes and failure reports to the archive, and adds them to the rollups. */
export async function archiveReports(tx: Tx, taskId: string, now: Date): Promise<void> {
  const reports = await extractReports(tx, taskId, now);
  // Before the outcomes go: the rollup looks at what they refer to.
  const difficulty = await difficultyOf(tx, taskId);
  const outcomes = await extractOutcomes(tx, taskId, now);
  await insertArchived(
    tx,
    [...archived("iteration_outcomes", outcomes), ...archived("failure_reports", reports)],
    now,
  );
  await addRollups(tx, await rollupsOf(tx, outcomes, difficulty), 1, now);
}

export async function archiveMetrics(tx: Tx, taskId: string, now: Date): Promise<void> {
  const row = await extractMetrics(tx, taskId, now);
  if (row) await insertArchived(tx, archived("strategy_metrics", [row]), now);
}

/** Brings all of a task back from the archive; how many rows that were. */
export async function restoreTask(tx: Tx, taskId: string, now: Date): Promise<number> {
  const all = await readArchived(tx, { taskId });
  const of = (table: string): readonly Row[] =>
    all.filter((one) => one.table === table).map(({ row }) => row);
  const outcomes = of("iteration_outcomes");
  await restoreOutcomes(tx, outcomes, now);
  await restoreReports(tx, of("failure_reports"), now);
  for (const row of of("strategy_metrics")) await restoreMetrics(tx, row, now);
  await addRollups(tx, await rollupsOf(tx, outcomes, await difficultyOf(tx, taskId)), -1, now);
  await removeArchived(tx, all, now);
  return all.length;
}

/** What has been in the archive for longer than a year goes for good; its rollups stay. How many rows that were. */
export async function clearArchive(tx: Tx, now: Date): Promise<number> {
  const before = new Date(now.getTime() - yearMs).toISOString();
  const old = await readArchived(tx, { before });
  await removeArchived(tx, old, now);
  return old.length;
}

const yearMs = 365 * 86_400_000;

function archived(table: string, rows: readonly Row[]): readonly Archived[] {
  return rows.map((row) => {
    const attempt = Number(row["attempt_number"] ?? 0);
    const taskId = String(row["task_id"]);
    return { table, key: JSON.stringify([taskId, attempt]), taskId, attempt, row };
  });
}

/** Of the working table, or of the archive where it has gone there before. */
async function difficultyOf(tx: Tx, taskId: string): Promise<string> {
  const row = await tx.get<{ difficulty: string | null }>(
    "SELECT difficulty_estimate AS difficulty FROM strategy_metrics WHERE task_id = ?",
    [taskId],
  );
  if (row) return row.difficulty ?? "unknown";
  const old = (await readArchived(tx, { taskId })).find(({ table }) => table === "strategy_metrics");
  return String(old?.row["difficulty_estimate"] ?? "unknown");
}

async function rollupsOf(tx: Tx, outcomes: readonly Row[], difficulty: string): Promise<readonly Rollup[]> {
  const rollups: Rollup[] = [];
  for (const row of outcomes) {
    const trial = await tx.get<{ held: number }>(
      "SELECT held_out AS held FROM memory_trials WHERE iteration_id = ?",
      [row["iteration_id"] ?? null],
    );
    rollups.push({
      day: String(row["started_at"]).slice(0, 10),
      model: String(row["model"]),
      difficulty,
      memory: trial ? (Number(trial.held) === 1 ? "held-out" : "shown") : "none",
      attempts: 1,
      done: row["outcome"] === "done" ? 1 : 0,
      costUsd: Number(row["cost_usd"] ?? 0),
      durationMs: Number(row["duration_ms"] ?? 0),
    });
  }
  return rollups;
}
