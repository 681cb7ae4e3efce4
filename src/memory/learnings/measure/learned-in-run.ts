import type { Reader } from "../../../store/db.ts";
import type { RunLearned } from "../../memory-kind.ts";

const maxShownHelped = 10;

/** Returns what a run learned, and which learnings were in the prompts of its verified attempts. */
export async function learnedIn(q: Reader, runId: string): Promise<RunLearned> {
  const made = await q.get<{ n: number }>(
    "SELECT COUNT(*) AS n FROM learning_history WHERE run_id = ? AND change IN ('captured','stored')",
    [runId],
  );
  const helped = await q.all<{ id: string; taskId: string; attempt: number; verdict: string | null }>(
    `SELECT i.memory_id AS id, t.task_id AS "taskId", t.attempt_number AS attempt, i.verdict
     FROM memory_trials t JOIN memory_injections i ON i.iteration_id = t.iteration_id
     WHERE t.run_id = ? AND t.held_out = 0 AND t.outcome = 'done' AND t.verification = 'passed'
       AND COALESCE(i.verdict, '') <> 'harmful'
     ORDER BY CASE WHEN i.verdict = 'helpful' THEN 0 ELSE 1 END, t.began_at, i.rank`,
    [runId],
  );
  const count = Number(made?.n ?? 0);
  const first = new Map<string, string>();
  for (const { id, taskId, attempt, verdict } of helped) {
    const praise = verdict === "helpful" ? ", and its agent called it helpful" : "";
    if (!first.has(id))
      first.set(id, `${taskId} passed on attempt ${attempt} with this in its prompt${praise}`);
  }
  return {
    captured: count > 0 ? [{ what: "learning", count }] : [],
    helped: [...first].slice(0, maxShownHelped).map(([id, how]) => ({ id, how })),
  };
}
