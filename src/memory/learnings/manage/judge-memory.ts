import { RalphError } from "../../../base/errors.ts";
import type { Tx } from "../../../store/db.ts";
import { openTrial, putVerdict, shownIn, type Verdict, verdictsIn } from "../store/injection-store.ts";

interface Judged {
  readonly iterationId: string;
  readonly runId: string | null;
  readonly memoryId: string;
  readonly verdict: Verdict;
}

/**
 * The word of an iteration's agent on a memory that its prompt showed, said before the end (LEARN-6). It counts once, with
 * the verified outcome, as `<memory-used>` does: said again it changes nothing, said otherwise it replaces the first.
 * RALPH_MEMORY_NOT_SHOWN.
 */
export async function judgeMemory(tx: Tx, judged: Judged, now: Date): Promise<void> {
  const { iterationId, memoryId, verdict } = judged;
  const trial = await openTrial(tx, iterationId);
  const shown = trial && !trial.heldOut ? await shownIn(tx, iterationId) : [];
  if (!shown.includes(memoryId)) {
    const were = shown.length > 0 ? `it showed ${shown.join(", ")}` : "it showed none";
    throw new RalphError(
      "RALPH_MEMORY_NOT_SHOWN",
      `this session's prompt did not show ${JSON.stringify(memoryId)}: ${were}`,
      { hint: "only a memory of the prompt can be judged, while the iteration is under way" },
    );
  }
  if ((await verdictsIn(tx, iterationId)).get(memoryId) === verdict) return;
  await putVerdict(tx, judged, now);
}
