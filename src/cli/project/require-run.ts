import { RalphError } from "../../base/errors.ts";
import { nearest } from "../../base/nearest.ts";
import { clip } from "../../base/text.ts";
import { type RunRow, recentRuns, runById } from "../../loop/rows/run-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { requireTask } from "../../tasks/graph/task-store.ts";

/** Returns the run with this id. Throws `RALPH_RUN_UNKNOWN` with the nearest one. */
export async function requireRun(q: Reader, id: string): Promise<RunRow> {
  const run = await runById(q, id);
  if (run) return run;
  const known = (await recentRuns(q, 1000)).map((one) => one.id);
  const meant = nearest(id, known);
  throw new RalphError("RALPH_RUN_UNKNOWN", `run not found: ${clip(id, 120)}`, {
    hint: meant ? `did you mean ${meant}?` : "run `ralph log` to list the runs",
  });
}

/**
 * Refuses an unknown task or run by which nothing was found. What was found may be of a task that was removed.
 * Throws `RALPH_TASK_UNKNOWN` or `RALPH_RUN_UNKNOWN`.
 */
export async function requireKnown(
  q: Reader,
  { task, runId }: { readonly task?: string | null | undefined; readonly runId?: string | null | undefined },
): Promise<void> {
  if (task) await requireTask(q, task);
  if (runId) await requireRun(q, runId);
}
