import { type SumLabels, sumUpOutcomes } from "../outcome/attempt-sums-store.ts";
import type { Reader, Tx } from "../store/db.ts";
import { loadKinds } from "./kinds.ts";
import type { MemoryKind } from "./port/memory-kind.ts";

/** Deletes a finished task's outcomes, and what the kinds hold of them; their sums stay. */
export async function deleteAttempts(tx: Tx, taskId: string, difficulty: string, now: Date): Promise<void> {
  const kinds = await loadKinds();
  // Rows of the kinds refer to outcomes.
  for (const { deleteOfTask } of kinds) await deleteOfTask?.(tx, taskId, now);
  await sumUpOutcomes(tx, taskId, labels(tx, kinds, difficulty));
}

/** Lets each kind react to a person's `ralph task reset`, in the transaction that reopens the task. */
export async function resetTaskMemory(tx: Tx, taskId: string, now: Date): Promise<void> {
  for (const kind of await loadKinds()) await kind.reset?.(tx, taskId, now);
}

function labels(q: Reader, kinds: readonly MemoryKind[], difficulty: string): SumLabels {
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
