import type { RunReport } from "../events/run-summary.ts";
import type { Reader, Row, Tx } from "../store/port/db.ts";
import { deleteOutcomes } from "./outcome-store.ts";

/** How a task's attempts are labelled in the sums. */
export interface SumLabels {
  readonly difficulty: string;
  /** Returns `shown`, `held-out` or `none`: what an iteration's prompt contained of memory. */
  memoryOf(iterationId: string): Promise<string>;
}

/** Returns the finished tasks whose attempts all began more than `ageMs` ago; at most `limit`. */
export async function tasksWithOldAttempts(
  q: Reader,
  ageMs: number,
  now: Date,
  limit: number,
): Promise<readonly string[]> {
  const before = new Date(now.getTime() - ageMs).toISOString();
  const rows = await q.all<{ id: string }>(
    `SELECT t.id FROM tasks t WHERE t.status = 'done' AND t.updated_at < ?
       AND EXISTS (SELECT 1 FROM iteration_outcomes o WHERE o.task_id = t.id)
       AND NOT EXISTS (SELECT 1 FROM iteration_outcomes o WHERE o.task_id = t.id AND o.started_at >= ?)
     ORDER BY t.updated_at, t.id LIMIT ?`,
    [before, before, limit],
  );
  return rows.map(({ id }) => id);
}

const dayMs = 86_400_000;

/**
 * Returns the time before which lies what is older than `ageMs`, counted in days on which attempts began: while a project rests, nothing in it
 * ages. ISO 8601; "" if it was used on fewer days.
 */
export async function daysOfUseAgo(q: Reader, ageMs: number, now: Date): Promise<string> {
  const days = Math.max(1, Math.ceil(ageMs / dayMs));
  const row = await q.get<{ day: string }>(
    `SELECT day FROM (SELECT substr(started_at, 1, 10) AS day FROM iteration_outcomes UNION SELECT day FROM memory_rollups) AS used
     ORDER BY day DESC LIMIT 1 OFFSET ?`,
    [days - 1],
  );
  const elapsed = new Date(now.getTime() - ageMs).toISOString();
  return [row?.day ?? "", elapsed].toSorted()[0] ?? "";
}

/** Deletes a task's outcomes and keeps their sums by day, model and difficulty. What refers to them must be gone. */
export async function sumUpOutcomes(tx: Tx, taskId: string, labels: SumLabels): Promise<void> {
  for (const outcome of await deleteOutcomes(tx, taskId)) {
    const memory = await labels.memoryOf(String(outcome["iteration_id"] ?? ""));
    await addSum(tx, outcome, { difficulty: labels.difficulty, memory });
  }
}

async function addSum(
  tx: Tx,
  outcome: Row,
  { difficulty, memory }: { readonly difficulty: string; readonly memory: string },
): Promise<void> {
  const key = [String(outcome["started_at"]).slice(0, 10), String(outcome["model"]), difficulty, memory];
  const done = outcome["outcome"] === "done" ? 1 : 0;
  const usd = Number(outcome["cost_usd"] ?? 0) + Number(outcome["extraction_usd"] ?? 0);
  const spent = [usd, Number(outcome["duration_ms"] ?? 0)];
  await tx.run(
    `INSERT INTO memory_rollups (day, model, difficulty, memory, attempts, done, cost_usd, duration_ms)
     VALUES (?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT (day, model, difficulty, memory) DO UPDATE SET
     attempts = memory_rollups.attempts + 1, done = memory_rollups.done + excluded.done,
     cost_usd = memory_rollups.cost_usd + excluded.cost_usd,
     duration_ms = memory_rollups.duration_ms + excluded.duration_ms`,
    [...key, done, ...spent],
  );
}

type ModelTotals = RunReport["byModel"][number];

export interface RunTotals {
  readonly attempts: number;
  readonly done: number;
  /** Including interruptions and extraction; null if none reported a cost. */
  readonly costUsd: number | null;
  readonly durationMs: number;
  readonly interruptions: number;
  /** Most attempts first. */
  readonly byModel: readonly ModelTotals[];
}

/** Returns the totals of a run, also by model. Interruptions and extraction count only towards cost and time. */
export async function runTotals(q: Reader, runId: string): Promise<RunTotals> {
  const byModel = await sumsByModel(q, sessions("run_id = ?"), [runId, runId, runId]);
  const row = await q.get<{ n: number; ms: number }>(
    "SELECT COUNT(*) AS n, COALESCE(SUM(duration_ms), 0) AS ms FROM interruptions WHERE run_id = ?",
    [runId],
  );
  const unnamed = await q.get<{ usd: number | null; ms: number }>(
    `SELECT SUM(cost_usd) AS usd, COALESCE(SUM(duration_ms), 0) AS ms FROM (${sessions("run_id = ?")}) AS sessions`,
    [runId, runId, runId],
  );
  return {
    attempts: byModel.reduce((all, { attempts }) => all + attempts, 0),
    done: byModel.reduce((all, { done }) => all + done, 0),
    costUsd: unnamed?.usd ?? null,
    durationMs: unnamed?.ms ?? 0,
    interruptions: row?.n ?? 0,
    byModel,
  };
}

/** Returns the sums of all recorded attempts by model, those of deleted ones included; most attempts first. */
export async function allTotals(q: Reader): Promise<readonly ModelTotals[]> {
  const deleted = `SELECT model, attempts AS judged, done, cost_usd, 0, 0, duration_ms, 0 FROM memory_rollups`;
  return sumsByModel(q, `${sessions("TRUE")} UNION ALL ${deleted}`, []);
}

/** Attempts, interrupted sessions and extraction, each of the rows that `condition` selects. */
function sessions(condition: string): string {
  return `
    SELECT o.model, 1 AS judged, CASE WHEN o.outcome = 'done' THEN 1 ELSE 0 END AS done, o.cost_usd,
      CASE WHEN o.cost_source IN ('price-table', 'guessed') THEN COALESCE(o.cost_usd, 0) ELSE 0 END AS estimated,
      CASE WHEN o.cost_usd IS NULL THEN 1 ELSE 0 END AS unpriced, o.duration_ms,
      CASE WHEN t.status IN ('blocked', 'failed') THEN COALESCE(o.cost_usd, 0) ELSE 0 END AS given_up
    FROM iteration_outcomes o LEFT JOIN tasks t ON t.id = o.task_id WHERE ${condition.replace("run_id", "o.run_id")}
    UNION ALL
    SELECT model, 0, 0, cost_usd, 0, 0, duration_ms, 0 FROM interruptions WHERE ${condition}
    UNION ALL
    SELECT extraction_model, 0, 0, extraction_usd, 0, 0, 0, 0 FROM iteration_outcomes
    WHERE ${condition} AND extraction_usd IS NOT NULL`;
}

async function sumsByModel(
  q: Reader,
  rows: string,
  values: readonly string[],
): Promise<readonly ModelTotals[]> {
  return q.all<ModelTotals>(
    `SELECT model, SUM(judged) AS attempts, SUM(done) AS done, SUM(cost_usd) AS "costUsd", SUM(estimated) AS "estimatedUsd",
       SUM(unpriced) AS unpriced, SUM(duration_ms) AS "durationMs", SUM(given_up) AS "givenUpUsd"
     FROM (${rows}) AS sessions WHERE model IS NOT NULL
     GROUP BY model HAVING SUM(judged) > 0 OR SUM(cost_usd) > 0 ORDER BY SUM(judged) DESC, model`,
    values,
  );
}
