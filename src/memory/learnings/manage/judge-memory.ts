import { RalphError } from "../../../base/errors.ts";
import type { Tx } from "../../../store/port/db.ts";
import { type Judgment, openTrial, putVerdict, shownIn, verdictsIn } from "../store/injection-store.ts";

/**
 * Records a running iteration's verdict on a memory that its prompt showed (LEARN-6). Like `<memory-used>` it counts once,
 * together with the verified outcome. A repeated verdict changes nothing; a different one replaces the first.
 * RALPH_MEMORY_NOT_SHOWN when the prompt did not show the memory.
 */
export async function judgeMemory(tx: Tx, judgment: Judgment, now: Date): Promise<void> {
  const { iterationId, memoryId, verdict } = judgment;
  const trial = await openTrial(tx, iterationId);
  const shown = trial && !trial.heldOut ? await shownIn(tx, iterationId) : [];
  if (!shown.includes(memoryId)) {
    const listed = shown.length > 0 ? `it showed ${shown.join(", ")}` : "it showed none";
    throw new RalphError(
      "RALPH_MEMORY_NOT_SHOWN",
      `this session's prompt did not show ${JSON.stringify(memoryId)}: ${listed}`,
      { hint: "report only on memories from the prompt, during the iteration" },
    );
  }
  if ((await verdictsIn(tx, iterationId)).get(memoryId) === verdict) return;
  await putVerdict(tx, judgment, now);
}
