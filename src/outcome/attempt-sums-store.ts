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
