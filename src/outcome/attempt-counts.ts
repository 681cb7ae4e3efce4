import type { Reader } from "../store/db.ts";

/** How many attempts of each task are recorded, archived ones too; a task without any is not in it. */
export async function attemptCounts(q: Reader): Promise<ReadonlyMap<string, number>> {
  const rows = await q.all<{ id: string; n: number }>(
    `SELECT id, SUM(n) AS n FROM (
       SELECT task_id AS id, COUNT(*) AS n FROM iteration_outcomes GROUP BY task_id
       UNION ALL SELECT task_id AS id, COUNT(*) AS n FROM memory_archive
         WHERE source_table = 'iteration_outcomes' GROUP BY task_id) AS attempts GROUP BY id`,
  );
  return new Map(rows.map(({ id, n }) => [id, Number(n)]));
}

/** The number of the task's last recorded attempt, archived ones too; 0 before the first. */
export async function lastAttempt(q: Reader, taskId: string): Promise<number> {
  const row = await q.get<{ n: number | null }>(
    `SELECT MAX(n) AS n FROM (
       SELECT MAX(attempt_number) AS n FROM iteration_outcomes WHERE task_id = ?
       UNION ALL SELECT MAX(attempt_number) AS n FROM memory_archive
         WHERE task_id = ? AND source_table = 'iteration_outcomes') AS attempts`,
    [taskId, taskId],
  );
  return Number(row?.n ?? 0);
}
