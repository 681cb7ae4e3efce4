import { parseStrings } from "../../../base/json.ts";
import { rebuildIndex } from "../../../search/rebuild-index.ts";
import type { Reader, Tx } from "../../../store/db.ts";
import type { Learning } from "../learning.ts";
import { eraseInjections } from "../store/injection-store.ts";
import { learningSource } from "../store/learning-index.ts";
import { eraseLearnings, putLearnings } from "../store/learning-store.ts";
import { getLearnings, listLearnings } from "../store/read-learnings.ts";

/** What a purge takes out, and what comes back because only a purged merge stood in its place. */
export interface PurgePlan {
  readonly erased: readonly Learning[];
  readonly restored: readonly Learning[];
}

/** What goes with these learnings: all that was merged from them, and so on. Reads only. */
export async function planPurge(q: Reader, ids: readonly string[]): Promise<PurgePlan> {
  const derived = await q.all<{ id: string; from: string }>(
    `SELECT id, derived_from AS "from" FROM learnings WHERE derived_from <> '[]'`,
  );
  const erased = new Set(ids);
  for (let size = -1; size !== erased.size; ) {
    size = erased.size;
    for (const one of derived) if (parseStrings(one.from).some((id) => erased.has(id))) erased.add(one.id);
  }
  const gone = await getLearnings(q, [...erased]);
  const members = await getLearnings(q, [...new Set(gone.flatMap(({ derivedFrom }) => derivedFrom))]);
  const restored = members.filter(
    ({ id, supersededBy }) => !erased.has(id) && supersededBy !== null && erased.has(supersededBy),
  );
  return { erased: gone, restored };
}

/** All that a run brought in itself. */
export async function storedByRun(q: Reader, runId: string): Promise<readonly string[]> {
  return (await listLearnings(q, { runId })).map(({ id }) => id);
}

/** What nobody has approved stays in quarantine. */
function restoredState({
  status,
  prunedAt,
}: Learning): Pick<Learning, "status" | "statusBefore" | "prunedAt"> {
  if (status === "quarantined") return { status, statusBefore: "active", prunedAt };
  return { status: "active", statusBefore: null, prunedAt: null };
}

/**
 * Carries the plan out, for good: rows, history, injections and the words in the search index. What was merged from it
 * since it was made goes too, and what comes back does so as it stands now: a person may have taken a while to agree.
 * Returns what went and came back.
 */
export async function applyPurge(
  tx: Tx,
  plan: PurgePlan,
  occasion: { readonly runId: string | null; readonly now: Date },
): Promise<PurgePlan> {
  const { erased, restored } = await planPurge(
    tx,
    plan.erased.map(({ id }) => id),
  );
  const back = restored.map((learning) => ({
    learning: { ...learning, ...restoredState(learning), supersededBy: null },
    change: "restored",
    by: "ralph" as const,
    detail: { because: "what it was merged into was purged" },
  }));
  await putLearnings(tx, back, occasion);
  const ids = erased.map(({ id }) => id);
  await eraseInjections(tx, ids, occasion.now);
  await eraseLearnings(tx, ids, occasion);
  if (ids.length > 0) await rebuildIndex(tx, [learningSource]);
  return { erased, restored };
}
