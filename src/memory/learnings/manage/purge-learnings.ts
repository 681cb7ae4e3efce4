import { parseStrings } from "../../../base/json.ts";
import type { Reader, Tx } from "../../../store/port/db.ts";
import { eraseInjections } from "../store/injection-store.ts";
import type { Learning } from "../store/learning.ts";
import { eraseLearnings, putLearnings } from "../store/learning-store.ts";
import { getLearnings, listLearnings } from "../store/read-learnings.ts";

/** The learnings that a purge deletes, and those that it restores because they were merged into a deleted one. */
interface LearningPurge {
  readonly erased: readonly Learning[];
  readonly restored: readonly Learning[];
}

/** Plans a purge: everything merged from these learnings, directly or not, is deleted too. Reads only. */
export async function planPurge(q: Reader, ids: readonly string[]): Promise<LearningPurge> {
  const derived = await q.all<{ id: string; from: string }>(
    `SELECT id, derived_from AS "from" FROM learnings WHERE derived_from <> '[]'`,
  );
  const erased = new Set(ids);
  for (let size = -1; size !== erased.size; ) {
    size = erased.size;
    for (const one of derived) if (parseStrings(one.from).some((id) => erased.has(id))) erased.add(one.id);
  }
  const deleted = await getLearnings(q, [...erased]);
  const members = await getLearnings(q, [...new Set(deleted.flatMap(({ derivedFrom }) => derivedFrom))]);
  const restored = members.filter(
    ({ id, supersededBy }) => !erased.has(id) && supersededBy !== null && erased.has(supersededBy),
  );
  return { erased: deleted, restored };
}

/** Returns the ids of the learnings that a run stored. */
export async function storedByRun(q: Reader, runId: string): Promise<readonly string[]> {
  return (await listLearnings(q, { runId })).map(({ id }) => id);
}

/** Returns the state of a restored learning. One that was never approved stays in quarantine. */
function restoredState({
  status,
  prunedAt,
}: Learning): Pick<Learning, "status" | "statusBefore" | "prunedAt"> {
  if (status === "quarantined") return { status, statusBefore: "active", prunedAt };
  return { status: "active", statusBefore: null, prunedAt: null };
}

/**
 * Deletes the planned learnings permanently: rows, history and injections. The plan is computed again, because a person may
 * have taken a while to confirm it. Returns what was deleted and restored.
 */
export async function applyPurge(
  tx: Tx,
  planned: readonly string[],
  occasion: { readonly runId: string | null; readonly now: Date },
): Promise<LearningPurge> {
  const { erased, restored } = await planPurge(tx, planned);
  const changes = restored.map((learning) => ({
    learning: { ...learning, ...restoredState(learning), supersededBy: null },
    change: "restored" as const,
    by: "ralph" as const,
    detail: { because: "what it was merged into was purged" },
  }));
  await putLearnings(tx, changes, occasion);
  const ids = erased.map(({ id }) => id);
  await eraseInjections(tx, ids);
  await eraseLearnings(tx, ids, occasion);
  return { erased, restored };
}
