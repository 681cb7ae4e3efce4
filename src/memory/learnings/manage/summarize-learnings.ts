import { isDeepStrictEqual } from "node:util";
import type { Reader, Tx } from "../../../store/db.ts";
import { tidyTags } from "../capture/learning-text.ts";
import { type Learning, learningSources, type Provenance } from "../learning.ts";
import { type LearningChange, newLearning, putLearnings } from "../store/learning-store.ts";
import { countByStatus, getLearnings, listForClusters } from "../store/read-learnings.ts";
import { clusterLearnings } from "./cluster-learnings.ts";
import { type MergedText, mergeTexts } from "./merge-text.ts";

/** At most once in so many iterations (LEARN-8). */
const iterationsBetween = 10;

/** What a merge would make of a cluster. */
export interface PlannedMerge extends MergedText {
  /** The newest of the cluster: it stays as it is. */
  readonly stays: Learning;
}

/** Whether so many learnings are active, and so many iterations have passed, that they should be merged. */
export async function summaryDue(q: Reader, above: number): Promise<boolean> {
  const { active, stale } = await countByStatus(q);
  if (above <= 0 || active + stale <= above) return false;
  const last = await q.get<{ at: string | null }>(
    "SELECT MAX(at) AS at FROM learning_history WHERE change = 'merged'",
  );
  if (!last?.at) return true;
  const since = await q.get<{ n: number }>(
    "SELECT COUNT(*) AS n FROM iteration_outcomes WHERE started_at > ?",
    [last.at],
  );
  return Number(since?.n ?? 0) >= iterationsBetween;
}

/** The merges that there are to be made, at most `most`. Reads only. */
export async function planMerges(q: Reader, most: number): Promise<readonly PlannedMerge[]> {
  const plans: PlannedMerge[] = [];
  for (const cluster of clusterLearnings(await listForClusters(q))) {
    if (plans.length >= most) break;
    const [stays, ...older] = await getLearnings(
      q,
      cluster.map(({ id }) => id),
    );
    // A known fix is found by its error: merged with others it would be told as one of many.
    let left = older.filter(({ fixes }) => fixes.length === 0);
    while (stays && plans.length < most) {
      const merged = mergeTexts(left);
      if (!merged) break;
      plans.push({ ...merged, stays });
      const taken = new Set(merged.members);
      left = left.filter((learning) => !taken.has(learning));
    }
  }
  return plans;
}

/**
 * Makes one merge: the merged learning, with its members superseded by it. Every member can be restored. Undefined, and
 * nothing done, where a member was changed since the merge was planned.
 */
export async function applyMerge(
  tx: Tx,
  plan: PlannedMerge,
  occasion: { readonly runId: string | null; readonly now: Date },
): Promise<Learning | undefined> {
  const { lesson, detail, members } = plan;
  const present = await getLearnings(
    tx,
    members.map(({ id }) => id),
  );
  if (!isDeepStrictEqual(present, members)) return undefined;
  const at = occasion.now.toISOString();
  const [first] = members;
  if (!first) throw new Error("a merge without members");
  const made = await newLearning(
    tx,
    {
      category: first.category,
      lesson,
      detail,
      topic: members.find(({ topic }) => topic !== null)?.topic ?? null,
      tags: tidyTags(
        members.flatMap(({ tags }) => tags),
        60,
      ),
      files: tidyTags(
        members.flatMap(({ files }) => files),
        20,
      ),
      scope: first.scope,
      citations: members.flatMap(({ citations }) => citations).slice(0, 5),
      derivedFrom: members.map(({ id }) => id),
      provenance: derivedFromAll(members),
    },
    occasion.now,
  );
  const sum = (
    name: "timesSeen" | "timesShown" | "shownPassed" | "shownFailed" | "saidHelpful" | "saidHarmful",
  ) => members.reduce((all, member) => all + member[name], 0);
  const latest = (times: readonly (string | null)[]): string | null =>
    times.reduce((a, b) => ((a ?? "") > (b ?? "") ? a : b), null);
  const merged: Learning = {
    ...made,
    // What it says is no newer for being merged: it would go before all that was learnt since.
    createdAt: latest(members.map(({ createdAt }) => createdAt)) ?? at,
    updatedAt: latest(members.map(({ updatedAt }) => updatedAt)),
    timesSeen: sum("timesSeen"),
    timesShown: sum("timesShown"),
    shownPassed: sum("shownPassed"),
    shownFailed: sum("shownFailed"),
    saidHelpful: sum("saidHelpful"),
    saidHarmful: sum("saidHarmful"),
    lastUsedAt: latest(members.map(({ lastUsedAt }) => lastUsedAt)),
  };
  const ids = members.map(({ id }) => id);
  const changes: LearningChange[] = [
    { learning: merged, change: "merged", by: "ralph", detail: { from: ids, kept: plan.stays.id } },
  ];
  for (const member of members) {
    const learning: Learning = { ...member, status: "superseded", supersededBy: merged.id, prunedAt: at };
    changes.push({
      learning,
      change: "superseded",
      by: "ralph",
      detail: { into: merged.id, before: member.status },
    });
  }
  await putLearnings(tx, changes, occasion);
  return merged;
}

/** Where a merged one comes from: no more to be trusted than the least of its members. */
function derivedFromAll(members: readonly Learning[]): Provenance {
  const only = <T>(pick: (provenance: Provenance) => T | null): T | null => {
    const values = new Set(members.map(({ provenance }) => pick(provenance)));
    return values.size === 1 ? ([...values][0] ?? null) : null;
  };
  const trust = (one: Learning): number => learningSources.indexOf(one.provenance.source);
  const least = members.reduce((a, b) => (trust(b) > trust(a) ? b : a));
  return {
    source: least.provenance.source,
    origin: least.provenance.origin,
    task: only(({ task }) => task),
    runId: only(({ runId }) => runId),
    iterationId: null,
    agent: only(({ agent }) => agent),
    model: only(({ model }) => model),
  };
}
