import { isDeepStrictEqual } from "node:util";
import type { Pacer } from "../../../base/clock.ts";
import { clip } from "../../../base/text.ts";
import type { Reader, Tx } from "../../../store/port/db.ts";
import { printable } from "../../../trust/stored-text.ts";
import {
  isProven,
  type Learning,
  learningSources,
  type Provenance,
  type UseCounts,
  whenChars,
} from "../store/learning.ts";
import { type LearningChange, newLearning, putLearnings } from "../store/learning-store.ts";
import { tidyNames, tidyTags } from "../store/learning-text.ts";
import { countByStatus, getLearnings, listForClusters, readInSlices } from "../store/read-learnings.ts";
import { clusterLearnings } from "./cluster-learnings.ts";
import { byUsefulness, type MergedText, mergeTexts } from "./merge-text.ts";

/** Minimum number of iterations between two merges (LEARN-8). */
const minIterations = 10;

/** A planned merge of learnings of one cluster. */
export interface PlannedMerge extends MergedText {
  /** The newest learning of the cluster, which is not merged. */
  readonly stays: Learning;
}

/** Reports whether there are more than `above` usable learnings, and enough iterations since the last merge. */
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
  return Number(since?.n ?? 0) >= minIterations;
}

/**
 * Plans at most `limit` merges. Reads only, with pauses: a learning that changes meanwhile is planned as it was read, and
 * `applyMerge` leaves it out.
 */
export async function planMerges(q: Reader, limit: number, pacer?: Pacer): Promise<readonly PlannedMerge[]> {
  const plans: PlannedMerge[] = [];
  for await (const cluster of clusterLearnings(await listForClusters(q, pacer), pacer)) {
    if (plans.length >= limit) break;
    const ids = cluster.map(({ id }) => id);
    const [stays, ...older] = await readInSlices(q, ids, pacer);
    // A known fix is recalled by its error; as a part of a merged lesson it would be lost among others.
    const usable = older.filter(({ fixes }) => fixes.length === 0);
    // The word of an agent does not become proven by being merged with what is.
    for (const proven of [true, false]) {
      const alike = usable.filter((learning) => isProven(learning) === proven);
      let left = alike.toSorted(byUsefulness);
      while (stays && plans.length < limit) {
        await pacer?.pause();
        const merged = mergeTexts(left);
        if (!merged) break;
        plans.push({ ...merged, stays });
        const taken = new Set(merged.members);
        left = left.filter((learning) => !taken.has(learning));
      }
    }
  }
  return plans;
}

/**
 * Applies one merge: writes the merged learning and marks its members as superseded by it. Members can be restored.
 * Returns undefined, without any change, when a member was changed since the merge was planned.
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
  const topic = members.find((member) => member.topic !== null)?.topic ?? null;
  const created = await newLearning(
    tx,
    {
      category: printable(first.category),
      lesson,
      detail,
      when: clip([...new Set(members.map(({ when }) => when))].filter(Boolean).join("; "), whenChars),
      topic: topic && printable(topic),
      tags: tidyTags(
        members.flatMap(({ tags }) => tags),
        60,
      ),
      files: tidyNames(
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
  const latest = (times: readonly (string | null)[]): string | null =>
    times.reduce((a, b) => ((a ?? "") > (b ?? "") ? a : b), null);
  const merged: Learning = {
    ...created,
    // Merging does not make a lesson newer: otherwise it would rank above everything learned since.
    createdAt: latest(members.map(({ createdAt }) => createdAt)) ?? at,
    updatedAt: latest(members.map(({ updatedAt }) => updatedAt)),
    provenAt: members.every(isProven) ? (latest(members.map(({ provenAt }) => provenAt)) ?? at) : null,
    ...countsOf(members),
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

/** Returns the counts of a merged learning. Its members may have been shown to the same tasks. */
function countsOf(members: readonly Learning[]): UseCounts {
  const sum = (name: keyof UseCounts): number => members.reduce((all, member) => all + member[name], 0);
  const most = (name: keyof UseCounts): number =>
    members.reduce((all, member) => Math.max(all, member[name]), 0);
  return {
    timesSeen: sum("timesSeen"),
    timesShown: sum("timesShown"),
    shownPassed: sum("shownPassed"),
    shownFailed: sum("shownFailed"),
    saidHelpful: sum("saidHelpful"),
    saidHarmful: sum("saidHarmful"),
    tasksPassed: most("tasksPassed"),
    tasksFailed: most("tasksFailed"),
  };
}

/** Returns the provenance of a merged learning: the source of its least trusted member. */
function derivedFromAll(members: readonly Learning[]): Provenance {
  const common = <T>(pick: (provenance: Provenance) => T | null): T | null => {
    const values = new Set(members.map(({ provenance }) => pick(provenance)));
    return values.size === 1 ? ([...values][0] ?? null) : null;
  };
  const trust = (one: Learning): number => learningSources.indexOf(one.provenance.source);
  const least = members.reduce((a, b) => (trust(b) > trust(a) ? b : a));
  return {
    source: least.provenance.source,
    origin: least.provenance.origin,
    task: common(({ task }) => task),
    runId: common(({ runId }) => runId),
    iterationId: null,
    agent: common(({ agent }) => agent),
    model: common(({ model }) => model),
  };
}
