import type { Pacer } from "../../base/clock.ts";
import type { Db, Tx } from "../../store/port/db.ts";
import type { ChangeRequest, NamedMemory, PruneRequest } from "../port/kind-commands.ts";
import type { MaintenanceRequest, MaintenanceStep } from "../port/memory-kind.ts";
import {
  checkCitations,
  expiredLearnings,
  markCitations,
  oldLearnings,
  pruneLearnings,
} from "./manage/prune-learnings.ts";
import { applyMerge, type PlannedMerge, planMerges, summaryDue } from "./manage/summarize-learnings.ts";
import { readInSlices } from "./store/read-learnings.ts";

/** One merge that was made, or would be in a dry run. */
export interface Merge {
  /** Null: not made yet. */
  readonly id: string | null;
  readonly from: readonly string[];
  readonly kept: string;
  readonly lesson: string;
}

/** Limits of one maintenance, which delays the end of a run. */
const batchLimits = { merges: 10, learnings: 500, citations: 200 };
/** Changes per transaction. A transaction cannot be paused, so a paced one takes only some milliseconds. */
const perTransaction = { merges: { paced: 1, whole: 25 }, learnings: { paced: 5, whole: 1_000_000 } };

/** The steps of maintenance: mark stale learnings, merge similar ones, archive those that stayed unproven, archive old learnings. */
export const learningMaintenance: readonly MaintenanceStep[] = [
  { step: "citations", run: markStale },
  {
    step: "summarize",
    run: async (request) => {
      if (await summaryDue(request.db, request.summarizeAbove))
        await summarizeLearnings(request, batchLimits);
    },
  },
  { step: "unproven", run: expireUnproven },
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
  { db, runId, now, pacer }: Paced<ChangeRequest>,
  {
    merges = Number.POSITIVE_INFINITY,
    dryRun = false,
  }: { readonly merges?: number; readonly dryRun?: boolean },
): Promise<readonly Merge[]> {
  const plans = await planMerges(db, merges, pacer);
  if (dryRun) return plans.map((plan) => viewOf(plan, null));
  return inTransactions(
    { db, pacer, size: perTransaction.merges, durable: false },
    plans,
    async (tx, some) => {
      const merges: Merge[] = [];
      for (const plan of some) {
        const merged = await applyMerge(tx, plan, { runId, now });
        if (merged) merges.push(viewOf(plan, merged.id));
      }
      return merges;
    },
  );
}

function viewOf({ members, stays, lesson }: PlannedMerge, id: string | null): Merge {
  return { id, from: members.map((member) => member.id), kept: stays.id, lesson };
}

/** Archives learnings that are old and unused; returns them. A dry run changes nothing. */
export async function pruneOldLearnings(
  { db, runId, now, prune, pacer }: Paced<PruneRequest>,
  { limit, dryRun = false }: { readonly limit: number; readonly dryRun?: boolean },
): Promise<readonly NamedMemory[]> {
  const old = await readInSlices(db, await oldLearnings(db, prune, now, limit), pacer);
  const gone = dryRun
    ? old
    : await inTransactions({ db, pacer, size: perTransaction.learnings }, old, (tx, some) =>
        pruneLearnings(tx, some, { runId, now }),
      );
  return gone.map(({ id, lesson }) => ({ id, lesson }));
}

/** Archives what an agent said and nothing confirmed in time (LEARN-12). */
async function expireUnproven({ db, runId, now, pacer }: MaintenanceRequest): Promise<void> {
  const expired = await readInSlices(db, await expiredLearnings(db, batchLimits.learnings), pacer);
  await inTransactions({ db, pacer, size: perTransaction.learnings }, expired, (tx, some) =>
    pruneLearnings(tx, some, { runId, now }, "expired"),
  );
}

async function markStale({ db, root, runId, now, pacer }: MaintenanceRequest): Promise<void> {
  const changes = await checkCitations(db, root, batchLimits.citations, pacer);
  await inTransactions({ db, pacer, size: perTransaction.learnings }, changes, async (tx, some) => {
    await markCitations(tx, some, { runId, now });
    return [];
  });
}

type Paced<T> = T & Pick<MaintenanceRequest, "pacer">;

interface Batches {
  readonly db: Db;
  readonly pacer: Pacer | undefined;
  readonly size: { readonly paced: number; readonly whole: number };
  readonly durable?: boolean;
}

/** Applies `work` to all items, some of them per transaction, with pauses in between. */
async function inTransactions<T, R>(
  { db, pacer, size, durable = pacer === undefined }: Batches,
  items: readonly T[],
  work: (tx: Tx, some: readonly T[]) => Promise<readonly R[]>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const step = pacer ? size.paced : size.whole;
  for (let at = 0; at < items.length; at += step) {
    await pacer?.pause();
    // The next maintenance repeats the work that a power failure undoes.
    for (const one of await db.transaction((tx) => work(tx, items.slice(at, at + step)), { durable }))
      results.push(one);
  }
  return results;
}
