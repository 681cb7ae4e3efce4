import { readEnv } from "../../config/environment.ts";
import { openIterations } from "../../loop/iteration-store.ts";
import type { IterationHere } from "../../memory/learning-actions.ts";
import type { Reader } from "../../store/db.ts";

/** Returns the iteration whose agent started this process; null when a person did. */
export async function currentIteration(db: Reader): Promise<IterationHere | null> {
  const taskId = readEnv("RALPH_TASK_ID");
  if (!taskId) return null;
  const runId = readEnv("RALPH_RUN_ID") ?? null;
  const row = (await openIterations(db)).findLast((one) => one.taskId === taskId && one.runId === runId);
  if (!row) return { taskId, runId };
  const { iterationId, model, startedAt } = row;
  return { taskId, runId, iterationId, model, startedAt };
}
