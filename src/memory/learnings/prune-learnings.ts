import type { Reader, Tx } from "../../store/db.ts";
import { freshnessOf } from "./cite-files.ts";
import type { Learning } from "./learning.ts";
import { type LearningChange, putLearnings } from "./learning-store.ts";
import { getLearnings } from "./read-learnings.ts";

/** Ages in milliseconds. */
export interface LearningAges {
  readonly learningsMs: number;
  readonly unusedMs: number;
}

/**
 * Usable learnings that are older than the one age and have not been used (or confirmed, or said again) within the
 * other, the oldest first. One that a person brought back stays.
 */
export async function oldLearnings(
  q: Reader,
  ages: LearningAges,
  now: Date,
  most: number,
): Promise<readonly Learning[]> {
  const before = (ms: number): string => new Date(now.getTime() - ms).toISOString();
  const unused = before(ages.unusedMs);
  const rows = await q.all<{ id: string }>(
    `SELECT id FROM learnings WHERE status IN ('active','stale') AND pinned = 0 AND created_at < ?
       AND COALESCE(last_used_at, '') < ? AND COALESCE(validated_at, '') < ? AND COALESCE(updated_at, '') < ?
     ORDER BY created_at, id LIMIT ?`,
    [before(ages.learningsMs), unused, unused, unused, most],
  );
  return getLearnings(
    q,
    rows.map(({ id }) => id),
  );
}

/** Puts learnings away by age: what they say stays, and can be restored. */
export async function pruneLearnings(
  tx: Tx,
  old: readonly Learning[],
  occasion: { readonly runId: string | null; readonly now: Date },
): Promise<void> {
  const prunedAt = occasion.now.toISOString();
  const changes = old.map(
    (learning): LearningChange => ({
      learning: { ...learning, status: "pruned", prunedAt },
      change: "pruned",
      by: "ralph",
      detail: { because: "old and unused", before: learning.status, lastUsedAt: learning.lastUsedAt },
    }),
  );
  await putLearnings(tx, changes, occasion);
}

/** Marks what cites files that changed, and clears the mark where they are as they were: at most `most`, in turn. */
export async function checkCitations(
  q: Reader,
  root: string,
  most: number,
): Promise<readonly LearningChange[]> {
  const rows = await q.all<{ id: string }>(
    `SELECT id FROM learnings WHERE citations <> '[]' AND status IN ('active','stale')
     ORDER BY COALESCE(last_used_at, created_at) DESC LIMIT ?`,
    [most],
  );
  const changes: LearningChange[] = [];
  for (const learning of await getLearnings(
    q,
    rows.map(({ id }) => id),
  )) {
    const fresh = await freshnessOf(root, learning.citations);
    const files = learning.citations.map(({ path }) => path);
    if (fresh !== "same" && learning.status === "active") {
      changes.push({
        learning: { ...learning, status: "stale" },
        change: "stale",
        by: "ralph",
        detail: { files, fresh },
      });
    } else if (fresh === "same" && learning.status === "stale") {
      changes.push({
        learning: { ...learning, status: "active" },
        change: "fresh",
        by: "ralph",
        detail: { files },
      });
    }
  }
  return changes;
}
