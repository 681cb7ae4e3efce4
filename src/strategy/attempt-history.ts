import { isMergeConflict } from "../outcome/refused-commit.ts";
import type { Reader } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";
import { enoughAttempts, type PastAttempt } from "./estimate.ts";

interface Row extends Omit<PastAttempt, "done"> {
  readonly agent: string | null;
  readonly asked: string | null;
  readonly outcome: string;
}

const columns = `task_id AS "taskId", agent, model, asked_model AS asked, outcome, cost_usd AS usd, error_signature AS signature`;

/** An agent and its models. */
interface Candidates {
  readonly agent: string;
  readonly tiers: readonly string[];
}

/**
 * Returns the latest judged attempts at any task, oldest first. Another agent's model has that agent's name before its own. What a model
 * that is no tier did in place of one counts as the tier's, which will be answered so again.
 */
export async function latestAttempts(q: Reader, candidates: Candidates): Promise<readonly PastAttempt[]> {
  const rows = await q.all<Row>(
    `SELECT ${columns} FROM iteration_outcomes ORDER BY started_at DESC LIMIT ?`,
    [enoughAttempts],
  );
  return rows.toReversed().map((row) => pastAttempt(row, candidates));
}

/** Returns the judged attempts at a task since its last reset, oldest first. */
export async function attemptsAt(
  q: Reader,
  { id, attemptsBefore }: Pick<Task, "id" | "attemptsBefore">,
  candidates: Candidates,
): Promise<readonly PastAttempt[]> {
  const rows = await q.all<Row>(
    `SELECT ${columns} FROM iteration_outcomes WHERE task_id = ? AND attempt_number > ? ORDER BY attempt_number`,
    [id, attemptsBefore],
  );
  return rows.map((row) => pastAttempt(row, candidates));
}

function pastAttempt({ agent, model, asked, outcome, ...row }: Row, candidates: Candidates): PastAttempt {
  const own = candidates.tiers.includes(model) ? model : (asked ?? model);
  const name = agent === null || agent === candidates.agent ? own : `${agent} ${own}`;
  if (isMergeConflict(row.signature)) return { ...row, model: name, done: true, signature: null };
  return { ...row, model: name, done: outcome === "done" };
}
