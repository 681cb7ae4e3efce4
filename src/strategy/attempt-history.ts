import type { Reader } from "../store/port/db.ts";
import type { Task } from "../tasks/graph/task.ts";
import { enoughAttempts, type PastAttempt } from "./estimate.ts";

interface Row extends Omit<PastAttempt, "done"> {
  readonly agent: string | null;
  readonly outcome: string;
}

const columns = `task_id AS "taskId", agent, model, outcome, cost_usd AS usd, error_signature AS signature`;

/** Returns the latest judged attempts at any task, oldest first. Another agent's model has that agent's name before its own. */
export async function latestAttempts(q: Reader, agent: string): Promise<readonly PastAttempt[]> {
  const rows = await q.all<Row>(
    `SELECT ${columns} FROM iteration_outcomes ORDER BY started_at DESC LIMIT ?`,
    [enoughAttempts],
  );
  return rows.toReversed().map((row) => pastAttempt(row, agent));
}

/** Returns the judged attempts at a task since its last reset, oldest first. */
export async function attemptsAt(
  q: Reader,
  { id, attemptsBefore }: Pick<Task, "id" | "attemptsBefore">,
  agent: string,
): Promise<readonly PastAttempt[]> {
  const rows = await q.all<Row>(
    `SELECT ${columns} FROM iteration_outcomes WHERE task_id = ? AND attempt_number > ? ORDER BY attempt_number`,
    [id, attemptsBefore],
  );
  return rows.map((row) => pastAttempt(row, agent));
}

function pastAttempt({ agent, model, outcome, ...row }: Row, chosen: string): PastAttempt {
  const name = agent === null || agent === chosen ? model : `${agent} ${model}`;
  return { ...row, model: name, done: outcome === "done" };
}
