import type { Tx } from "../../../store/port/db.ts";
import { changeStatus } from "../../graph/change-status.ts";
import type { MatchedTasks } from "../match/match-source.ts";

/**
 * Reopens finished tasks that have open items below them again, as a reset of a child does: they are done when these are.
 * Otherwise the tasks above them could be completed before the new items. Returns the reopened tasks' ids.
 */
export async function reopenParents(
  tx: Tx,
  matched: readonly MatchedTasks[],
  now: Date,
): Promise<readonly string[]> {
  const waiting = new Set<string>();
  const reopened: string[] = [];
  // Children come after their parents.
  for (const { imported, existing, id } of matched.toReversed()) {
    const isDone = existing?.status === "done";
    const reopens = isDone && imported.state === "open" && waiting.has(imported.key);
    if (reopens) reopened.push(id);
    const isOpen = isDone ? reopens : imported.state !== "done";
    if (isOpen && imported.parentKey) waiting.add(imported.parentKey);
  }
  for (const id of reopened)
    await changeStatus(tx, { id, status: "pending", type: "task.updated", verb: "reopened" }, now);
  return reopened;
}
