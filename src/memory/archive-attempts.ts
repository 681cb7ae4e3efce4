import { archiveOutcomes, type RollupLabels, restoreArchivedOutcomes } from "../outcome/archive-store.ts";
import type { Reader, Tx } from "../store/db.ts";
import { archiveReports, restoreArchivedReports } from "./failures/failure-store.ts";

/** Moves a finished task's failure reports and outcomes to the archive. */
export async function archiveTask(tx: Tx, taskId: string, difficulty: string, now: Date): Promise<void> {
  // Reports refer to outcomes, so they leave first and return last.
  await archiveReports(tx, taskId, now);
  await archiveOutcomes(tx, taskId, labels(tx, difficulty), now);
}

/** Restores a task's outcomes and failure reports from the archive. Returns the number of rows. */
export async function restoreTask(tx: Tx, taskId: string, difficulty: string, now: Date): Promise<number> {
  const outcomes = await restoreArchivedOutcomes(tx, taskId, labels(tx, difficulty), now);
  return outcomes + (await restoreArchivedReports(tx, taskId, now));
}

function labels(q: Reader, difficulty: string): RollupLabels {
  return {
    difficulty,
    memoryOf: async (iterationId) => {
      const trial = await q.get<{ held: number }>(
        "SELECT held_out AS held FROM memory_trials WHERE iteration_id = ?",
        [iterationId],
      );
      if (!trial) return "none";
      return Number(trial.held) === 1 ? "held-out" : "shown";
    },
  };
}
