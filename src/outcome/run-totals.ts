import type { RunReport } from "../events/run-summary.ts";
import type { Reader } from "../store/port/db.ts";

type ModelTotals = RunReport["byModel"][number];

interface RunTotals {
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
