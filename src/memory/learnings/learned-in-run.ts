import type { Reader } from "../../store/port/db.ts";
import type { RunLearned } from "../port/memory-kind.ts";

const maxShownHelped = 10;

/** One learning in the prompt of a verified attempt. */
interface ShownRow {
  readonly id: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly verdict: string | null;
  readonly passed: number;
  /** 1: it is the known fix of the error of the attempt before, which this one no longer has. */
  readonly fixed: number;
}

/** Returns what a run learned, how many learnings its prompts showed, and which of them helped by verdict or evidence. */
export async function learnedIn(q: Reader, runId: string): Promise<RunLearned> {
  const captured = await q.get<{ n: number }>(
    "SELECT COUNT(*) AS n FROM learning_history WHERE run_id = ? AND change IN ('captured','stored') AND changed_by = 'agent'",
    [runId],
  );
  const rows = await q.all<ShownRow>(
    `SELECT i.memory_id AS id, t.task_id AS "taskId", t.attempt_number AS attempt, i.verdict,
       CASE WHEN t.outcome = 'done' AND t.verification = 'passed' THEN 1 ELSE 0 END AS passed,
       CASE WHEN t.verification IN ('passed','failed','no_change') AND EXISTS (
         SELECT 1 FROM iteration_outcomes before
         JOIN learning_signatures s ON s.signature = before.error_signature AND s.learning_id = i.memory_id
         LEFT JOIN iteration_outcomes own ON own.task_id = t.task_id AND own.attempt_number = t.attempt_number
         WHERE before.task_id = t.task_id AND before.attempt_number = t.attempt_number - 1
           AND COALESCE(own.error_signature, '') <> before.error_signature) THEN 1 ELSE 0 END AS fixed
     FROM memory_trials t JOIN memory_injections i ON i.iteration_id = t.iteration_id
     WHERE t.run_id = ? AND t.held_out = 0
     ORDER BY CASE WHEN i.verdict = 'helpful' THEN 0 ELSE 1 END, t.began_at, i.rank`,
    [runId],
  );
  const helped = new Map<string, string>();
  for (const row of rows) {
    const how = howItHelped(row);
    if (how !== null && !helped.has(row.id)) helped.set(row.id, how);
  }
  const count = Number(captured?.n ?? 0);
  const shown = new Set(rows.map(({ id }) => id)).size;
  return {
    captured: count > 0 ? [{ what: "learning", count }] : [],
    shown: shown > 0 ? [{ what: "learning", count: shown }] : [],
    helped: [...helped].slice(0, maxShownHelped).map(([id, how]) => ({ id, how })),
  };
}

/** Returns the evidence that a learning helped; null if it was only shown. */
function howItHelped({ taskId, attempt, verdict, passed, fixed }: ShownRow): string | null {
  if (verdict === "helpful" && Number(passed) === 1)
    return `${taskId} passed on attempt ${attempt}, and its agent called it helpful`;
  return verdict === null && Number(fixed) === 1
    ? `the error that it is a fix for was gone after attempt ${attempt} of ${taskId}`
    : null;
}
