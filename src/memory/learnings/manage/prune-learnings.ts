import { isDeepStrictEqual } from "node:util";
import type { Reader, Tx } from "../../../store/db.ts";
import { freshnessOf } from "../capture/cite-files.ts";
import type { Learning } from "../learning.ts";
import { type LearningChange, putLearnings } from "../store/learning-store.ts";
import { getLearnings } from "../store/read-learnings.ts";

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

/**
 * Puts learnings away by age: what they say stays, and can be restored. One that was changed since it was found to be old
 * stays; returns those that went.
 */
export async function pruneLearnings(
  tx: Tx,
  found: readonly Learning[],
  occasion: { readonly runId: string | null; readonly now: Date },
): Promise<readonly Learning[]> {
  const old = await unchanged(tx, found);
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
  return old;
}

/** Those that are still as they were read: another process may have written in between. */
async function unchanged(tx: Tx, before: readonly Learning[]): Promise<readonly Learning[]> {
  const now = await getLearnings(
    tx,
    before.map(({ id }) => id),
  );
  const byId = new Map(now.map((learning) => [learning.id, learning]));
  return before.filter((learning) => isDeepStrictEqual(byId.get(learning.id), learning));
}

/** Writes what `checkCitations` found, of learnings that are still as they were then. */
export async function markCitations(
  tx: Tx,
  { learnings, changes }: CitationCheck,
  occasion: { readonly runId: string | null; readonly now: Date },
): Promise<void> {
  const same = new Set((await unchanged(tx, learnings)).map(({ id }) => id));
  await putLearnings(
    tx,
    changes.filter(({ learning }) => same.has(learning.id)),
    occasion,
  );
}

export interface CitationCheck {
  /** As they were when they were looked at. */
  readonly learnings: readonly Learning[];
  readonly changes: readonly LearningChange[];
}

/** What cites files that changed is to be marked, and the mark cleared where they are as they were: at most `most`, in turn. */
export async function checkCitations(q: Reader, root: string, most: number): Promise<CitationCheck> {
  const rows = await q.all<{ id: string }>(
    `SELECT id FROM learnings WHERE citations <> '[]' AND status IN ('active','stale')
     ORDER BY COALESCE(last_used_at, created_at) DESC LIMIT ?`,
    [most],
  );
  const learnings = await getLearnings(
    q,
    rows.map(({ id }) => id),
  );
  const changes: LearningChange[] = [];
  for (const learning of learnings) {
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
  return { learnings, changes };
}
