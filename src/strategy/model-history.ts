import { parseStrings } from "../base/json.ts";
import { isMergeConflict } from "../outcome/refused-commit.ts";
import type { Reader } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";

/** So many of the latest outcomes say how the project goes (STRAT-2). */
const recentOutcomes = 20;
const similarTasks = 50;

export interface Tally {
  readonly done: number;
  readonly total: number;
}

/** How the latest 20 attempts at any task ended, and the model that the last one requested for the next if it finished its own task. */
export async function recentAttempts(q: Reader): Promise<Tally & { readonly requested: string | null }> {
  const rows = await q.all<{ outcome: string; signature: string | null; nextModel: string | null }>(
    `SELECT o.outcome, o.error_signature AS signature, s.next_model AS "nextModel" FROM iteration_outcomes o
     LEFT JOIN strategy_metrics s ON s.task_id = o.task_id ORDER BY o.started_at DESC, o.task_id DESC LIMIT ?`,
    [recentOutcomes],
  );
  const [last] = rows;
  return {
    done: rows.filter((row) => row.outcome === "done" || isMergeConflict(row.signature)).length,
    total: rows.length,
    requested: last?.outcome === "done" ? last.nextModel : null,
  };
}

/** How the attempts of one run ended so far. */
export async function runTally(q: Reader, runId: string): Promise<Tally> {
  const row = await q.get<{ done: number | null; total: number }>(
    `SELECT SUM(CASE WHEN outcome = 'done' THEN 1 ELSE 0 END) AS done, COUNT(*) AS total
     FROM iteration_outcomes WHERE run_id = ?`,
    [runId],
  );
  return { done: Number(row?.done ?? 0), total: Number(row?.total ?? 0) };
}

interface Similar {
  readonly model: string;
  readonly parentId: string | null;
  readonly tags: string;
  readonly files: string;
}

/**
 * Models that completed tasks of this difficulty, one entry a task, latest first: those of tasks that share the
 * parent, a tag or a file with `task` where there are any, else all.
 */
export async function modelsOfSimilarTasks(
  q: Reader,
  task: Task,
  difficulty: string,
): Promise<readonly string[]> {
  const rows = await q.all<Similar>(
    `SELECT s.suggested_model AS model, t.parent_id AS "parentId", t.tags, t.files
     FROM strategy_metrics s JOIN tasks t ON t.id = s.task_id
     WHERE s.difficulty_estimate = ? AND s.suggested_model IS NOT NULL AND s.task_id <> ?
     ORDER BY s.last_success_at DESC LIMIT ?`,
    [difficulty, task.id, similarTasks],
  );
  const near = rows.filter((row) => sharesSomething(task, row));
  return (near.length > 0 ? near : rows).map((row) => row.model);
}

function sharesSomething(task: Task, other: Similar): boolean {
  if (task.parentId !== null && task.parentId === other.parentId) return true;
  const overlap = (mine: readonly string[], theirs: string): boolean => {
    const known = new Set(parseStrings(theirs));
    return mine.some((item) => known.has(item));
  };
  return overlap(task.tags, other.tags) || overlap(task.files, other.files);
}
