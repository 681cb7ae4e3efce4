import type { Tx } from "../../store/db.ts";
import type { ChangeRequest, Merge, NamedMemory, PruneRequest } from "../kind-commands.ts";
import type { MaintenanceRequest, MaintenanceStep } from "../memory-kind.ts";
import { checkCitations, markCitations, oldLearnings, pruneLearnings } from "./manage/prune-learnings.ts";
import { applyMerge, type PlannedMerge, planMerges, summaryDue } from "./manage/summarize-learnings.ts";

/** Limits of one maintenance, which delays the end of a run. */
const batchLimits = { merges: 10, learnings: 500, citations: 200 };
const mergesPerTransaction = 25;

/** The steps of maintenance: mark stale learnings, merge similar ones, archive old ones. */
export const learningMaintenance: readonly MaintenanceStep[] = [
  { step: "citations", run: markStale },
  {
    step: "summarize",
    run: async (request) => {
      if (await summaryDue(request.db, request.summarizeAbove))
        await summarizeLearnings(request, batchLimits);
    },
  },
  {
    step: "prune",
    run: async (request) => void (await pruneOldLearnings(request, { limit: batchLimits.learnings })),
  },
];

/**
 * Merges similar learnings, a few merges per transaction; every member can be restored. A power cut may undo the last
 * merges, which are then made again.
 */
export async function summarizeLearnings(
  { db, runId, now }: ChangeRequest,
  {
    merges = Number.POSITIVE_INFINITY,
    dryRun = false,
  }: { readonly merges?: number; readonly dryRun?: boolean },
): Promise<readonly Merge[]> {
  const made: Merge[] = [];
  const plans = await planMerges(db, merges);
  if (dryRun) return plans.map((plan) => viewOf(plan, null));
  for (let at = 0; at < plans.length; at += mergesPerTransaction) {
    const some = plans.slice(at, at + mergesPerTransaction);
    const work = async (tx: Tx): Promise<readonly Merge[]> => {
      const views: Merge[] = [];
      for (const plan of some) {
        const merged = await applyMerge(tx, plan, { runId, now });
        if (merged) views.push(viewOf(plan, merged.id));
      }
      return views;
    };
    made.push(...(await db.transaction(work, { durable: false })));
  }
  return made;
}

function viewOf({ members, stays, lesson }: PlannedMerge, id: string | null): Merge {
  return { id, from: members.map((member) => member.id), kept: stays.id, lesson };
}

/** Archives learnings that are old and unused; returns them. A dry run changes nothing. */
export async function pruneOldLearnings(
  { db, runId, now, prune }: PruneRequest,
  { limit, dryRun = false }: { readonly limit: number; readonly dryRun?: boolean },
): Promise<readonly NamedMemory[]> {
  const old = await oldLearnings(db, prune, now, limit);
  const gone = dryRun ? old : await db.transaction((tx) => pruneLearnings(tx, old, { runId, now }));
  return gone.map(({ id, lesson }) => ({ id, lesson }));
}

async function markStale({ db, root, runId, now }: MaintenanceRequest): Promise<void> {
  const check = await checkCitations(db, root, batchLimits.citations);
  if (check.changes.length > 0) await db.transaction((tx) => markCitations(tx, check, { runId, now }));
}
