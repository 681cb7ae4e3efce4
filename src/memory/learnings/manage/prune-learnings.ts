import { isDeepStrictEqual } from "node:util";
import type { Pacer } from "../../../base/clock.ts";
import { daysOfUseAgo } from "../../../outcome/attempt-sums-store.ts";
import type { Reader, Tx } from "../../../store/port/db.ts";
import { freshnessOf } from "../store/cite-files.ts";
import type { Learning } from "../store/learning.ts";
import { type LearningChange, putLearnings } from "../store/learning-store.ts";
import { getLearnings, isUnproven, readInSlices } from "../store/read-learnings.ts";

/** Minimum ages for pruning, in milliseconds of days of use. */
export interface LearningAges {
  /** Since creation, import or approval. */
  readonly learningsMs: number;
  /** Since the last use, confirmation or restatement. */
  readonly unusedMs: number;
}

/**
 * Returns the ids of at most `limit` usable learnings that exceed both ages, oldest first, without those that a person
 * restored.
 */
export async function oldLearnings(
  q: Reader,
  ages: LearningAges,
  now: Date,
  limit: number,
): Promise<readonly string[]> {
  const [young, unused] = [
    await daysOfUseAgo(q, ages.learningsMs, now),
    await daysOfUseAgo(q, ages.unusedMs, now),
  ];
  const rows = await q.all<{ id: string }>(
    `SELECT l.id FROM learnings l WHERE l.status IN ('active','stale') AND l.pinned = 0 AND l.created_at < ?
       AND COALESCE(l.last_used_at, '') < ? AND COALESCE(l.validated_at, '') < ? AND COALESCE(l.updated_at, '') < ?
       AND NOT EXISTS (SELECT 1 FROM learning_history h
         WHERE h.learning_id = l.id AND h.change IN ('imported','approved') AND h.at >= ?)
     ORDER BY l.created_at, l.id LIMIT ?`,
    [young, unused, unused, unused, young, limit],
  );
  return rows.map(({ id }) => id);
}

/** Prompts in which an agent's word stands without anything that confirms it (LEARN-12). */
const probation = 20;

/** Returns the ids of at most `limit` usable learnings whose probation ended unproven, without those that a person restored. */
export async function expiredLearnings(q: Reader, limit: number): Promise<readonly string[]> {
  const rows = await q.all<{ id: string }>(
    `SELECT l.id FROM learnings l WHERE l.status IN ('active','stale') AND l.pinned = 0 AND ${isUnproven}
       AND l.times_shown >= ? ORDER BY l.created_at, l.id LIMIT ?`,
    [probation, limit],
  );
  return rows.map(({ id }) => id);
}

/** Why a learning is archived: by age, because nothing confirmed it in time, or because verification speaks against it. */
type PruneCause = "pruned" | "expired" | "refuted" | "withdrawn";
const causes: Readonly<Record<PruneCause, string>> = {
  pruned: "old and unused",
  expired: "unproven after 20 prompts",
  refuted: "what an attempt believed that verification refuted",
  withdrawn: "shown and failed in four tasks",
};

/**
 * Prunes learnings by age and returns those that were pruned; they can be restored. A learning that was changed since
 * `found` was read is kept.
 */
export async function pruneLearnings(
  tx: Tx,
  found: readonly Learning[],
  occasion: { readonly runId: string | null; readonly now: Date },
  change: PruneCause = "pruned",
): Promise<readonly Learning[]> {
  const old = await unchanged(tx, found);
  const prunedAt = occasion.now.toISOString();
  const changes = old.map(
    (learning): LearningChange => ({
      learning: { ...learning, status: "pruned", prunedAt },
      change,
      by: "ralph",
      detail: { because: causes[change], before: learning.status, lastUsedAt: learning.lastUsedAt },
    }),
  );
  await putLearnings(tx, changes, occasion);
  return old;
}

/** Returns the learnings that have not changed since they were read; another process may have written in between. */
async function unchanged(tx: Tx, before: readonly Learning[]): Promise<readonly Learning[]> {
  const now = await getLearnings(
    tx,
    before.map(({ id }) => id),
  );
  const byId = new Map(now.map((learning) => [learning.id, learning]));
  return before.filter((learning) => isDeepStrictEqual(byId.get(learning.id), learning));
}

/** Applies results of `checkCitations` to learnings that have not changed since. */
export async function markCitations(
  tx: Tx,
  changes: readonly CitationChange[],
  occasion: { readonly runId: string | null; readonly now: Date },
): Promise<void> {
  const checked = changes.map(({ before }) => before);
  const unchangedIds = new Set((await unchanged(tx, checked)).map(({ id }) => id));
  await putLearnings(
    tx,
    changes.filter(({ learning }) => unchangedIds.has(learning.id)),
    occasion,
  );
}

/** A learning to mark as stale or as fresh again. */
export interface CitationChange extends LearningChange {
  /** The learning when it was checked. */
  readonly before: Learning;
}

/** Checks the citations of the `limit` most recently used learnings. */
export async function checkCitations(
  q: Reader,
  root: string,
  limit: number,
  pacer?: Pacer,
): Promise<readonly CitationChange[]> {
  const rows = await q.all<{ id: string }>(
    `SELECT id FROM learnings WHERE citations <> '[]' AND status IN ('active','stale')
     ORDER BY COALESCE(last_used_at, created_at) DESC LIMIT ?`,
    [limit],
  );
  const ids = rows.map(({ id }) => id);
  const learnings = await readInSlices(q, ids, pacer);
  const changes: CitationChange[] = [];
  for (const learning of learnings) {
    await pacer?.pause();
    const fresh = await freshnessOf(root, learning.citations);
    const files = learning.citations.map(({ path }) => path);
    if (fresh !== "same" && learning.status === "active") {
      changes.push({
        before: learning,
        learning: { ...learning, status: "stale" },
        change: "stale",
        by: "ralph",
        detail: { files, fresh },
      });
    } else if (fresh === "same" && learning.status === "stale") {
      changes.push({
        before: learning,
        learning: { ...learning, status: "active" },
        change: "fresh",
        by: "ralph",
        detail: { files },
      });
    }
  }
  return changes;
}
