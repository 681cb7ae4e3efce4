import {
  archiveOutcomes,
  type RollupLabels,
  restoreArchivedOutcomes,
} from "../outcome/attempt-archive-store.ts";
import type { Reader, Tx } from "../store/db.ts";
import { loadKinds } from "./kinds.ts";
import type { MemoryKind } from "./memory-kind.ts";

/** Moves a finished task's outcomes, and what the kinds hold of them, to the archive. */
export async function archiveAttempts(tx: Tx, taskId: string, difficulty: string, now: Date): Promise<void> {
  const kinds = await loadKinds();
  // Rows of the kinds refer to outcomes, so they leave first and return last.
  for (const { archive } of kinds) await archive?.store(tx, taskId, now);
  await archiveOutcomes(tx, taskId, labels(tx, kinds, difficulty), now);
}

/** Restores what `archiveAttempts` archived. Returns the number of rows. */
export async function restoreAttempts(
  tx: Tx,
  taskId: string,
  difficulty: string,
  now: Date,
): Promise<number> {
  const kinds = await loadKinds();
  let rows = await restoreArchivedOutcomes(tx, taskId, labels(tx, kinds, difficulty), now);
  for (const { archive } of kinds) rows += (await archive?.restore(tx, taskId, now)) ?? 0;
  return rows;
}

/** Lets each kind react to a person's `ralph task reset`, in the transaction that reopens the task. */
export async function resetTaskMemory(tx: Tx, taskId: string, now: Date): Promise<void> {
  for (const kind of await loadKinds()) await kind.reset?.(tx, taskId, now);
}

function labels(q: Reader, kinds: readonly MemoryKind[], difficulty: string): RollupLabels {
  return {
    difficulty,
    memoryOf: async (iterationId) => {
      for (const { trialOf } of kinds) {
        const label = await trialOf?.(q, iterationId);
        if (label !== undefined) return label;
      }
      return "none";
    },
  };
}
