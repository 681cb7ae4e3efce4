import { attemptRef } from "../../base/attempt-ref.ts";
import type { Tx } from "../../store/port/db.ts";
import type { ShownMemory } from "../port/memory-kind.ts";
import { freshnessOf } from "./store/cite-files.ts";
import { insertTrial } from "./store/injection-store.ts";
import type { Learning } from "./store/learning.ts";
import { countUse, type LearningChange, putLearnings } from "./store/learning-store.ts";
import { getLearnings } from "./store/read-learnings.ts";

/**
 * Records which learnings an iteration's prompt shows, in the transaction that begins it: the injections, the time of use,
 * and whether a cited file has changed (LEARN-5, LEARN-6, LEARN-7). For a held-out iteration, only the injections.
 */
export async function recordShownLearnings(
  tx: Tx,
  shown: ShownMemory,
  { root, now }: { readonly root: string; readonly now: Date },
): Promise<void> {
  const items = shown.items.filter(({ section }) => section === "learnings");
  const held = shown.withheld.filter(({ section }) => section === "learnings");
  const heldOut = items.length === 0;
  const recorded = heldOut ? held.map(({ id }) => ({ id, score: 0 })) : items;
  if (recorded.length === 0) return;
  const { runId, model } = shown;
  const injections = recorded.map(({ id, score }, index) => ({
    memoryId: id,
    rank: index + 1,
    score,
  }));
  await insertTrial(tx, { ...attemptRef(shown), model, heldOut }, injections, now);
  if (heldOut) return;
  const at = now.toISOString();
  const learnings = (
    await getLearnings(
      tx,
      recorded.map(({ id }) => id),
    )
  ).map((learning) => ({
    ...learning,
    lastUsedAt: at,
    timesShown: learning.timesShown + 1,
  }));
  await countUse(tx, learnings);
  await putLearnings(tx, await newlyStale(root, learnings), { runId, now });
}

async function newlyStale(root: string, learnings: readonly Learning[]): Promise<readonly LearningChange[]> {
  const changes: LearningChange[] = [];
  for (const learning of learnings) {
    if (learning.status !== "active" || (await freshnessOf(root, learning.citations)) !== "changed") continue;
    const files = learning.citations.map(({ path }) => path);
    changes.push({
      learning: { ...learning, status: "stale" },
      change: "stale",
      by: "ralph",
      detail: { files },
    });
  }
  return changes;
}
