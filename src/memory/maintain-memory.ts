import { messageOf } from "../base/errors.ts";
import { clip, oneLine } from "../base/text.ts";
import { record } from "../events/outbox-store.ts";
import { clearArchive, tasksToArchive } from "../outcome/archive-store.ts";
import type { Db, Reader, Tx } from "../store/db.ts";
import { redact } from "../trust/redact.ts";
import { archiveTask } from "./archive-attempts.ts";
import type { Learning } from "./learnings/learning.ts";
import {
  checkCitations,
  markCitations,
  oldLearnings,
  pruneLearnings,
} from "./learnings/manage/prune-learnings.ts";
import {
  applyMerge,
  type PlannedMerge,
  planMerges,
  summaryDue,
} from "./learnings/manage/summarize-learnings.ts";
import { repairIndex } from "./repair-index.ts";

/** The periods of LEARN-8 and LEARN-9. */
export interface MaintenanceOptions {
  /** Active learnings above which they are merged; 0: never. */
  readonly summarizeAbove: number;
  readonly prune: {
    readonly reportsMs: number;
    readonly learningsMs: number;
    readonly unusedMs: number;
  };
  /** Returns a task's difficulty estimate, or `unknown`. */
  readonly difficultyOf: (q: Reader, taskId: string) => Promise<string>;
}

interface MaintenanceRequest extends MaintenanceOptions {
  readonly db: Db;
  readonly root: string;
  readonly now: Date;
  readonly runId: string | null;
}

/** One go does at most so much: it stands between a run and its end. */
const batchLimits = { merges: 10, learnings: 500, tasks: 200, citations: 200 };
/** So many merges are one transaction. */
const mergesPerTransaction = 25;

/** One merge that was made, or would be. */
export interface MergeView {
  /** Null: not made yet. */
  readonly id: string | null;
  readonly from: readonly string[];
  readonly kept: string;
  readonly lesson: string;
}

/** What was put away, or would be. */
export interface PruneView {
  readonly learnings: readonly { readonly id: string; readonly lesson: string }[];
  /** Finished tasks whose attempts went to the archive. */
  readonly reports: readonly string[];
  /** Rows that were in the archive for more than a year. */
  readonly cleared: number;
}

/**
 * At the end of a run: what cites changed files is marked, too many learnings are merged, old ones put away. Never
 * throws: what fails is a `memory.failed` event and leaves that step undone.
 */
export async function maintainMemory(request: MaintenanceRequest): Promise<void> {
  const steps: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["index", () => repairIndex(request.db)],
    ["citations", () => markStale(request)],
    [
      "summarize",
      async () =>
        (await summaryDue(request.db, request.summarizeAbove)) && summarizeMemory(request, batchLimits),
    ],
    ["prune", () => pruneMemory(request, batchLimits)],
  ];
  for (const [step, work] of steps) {
    try {
      await work();
    } catch (error) {
      await recordFailure(request, step, error);
    }
  }
}

/**
 * Merges what belongs together, a few merges a transaction; their members can all be restored. A power cut may undo the last
 * of them, which are then made again.
 */
export async function summarizeMemory(
  { db, runId, now }: Pick<MaintenanceRequest, "db" | "runId" | "now">,
  {
    merges = Number.POSITIVE_INFINITY,
    dryRun = false,
  }: { readonly merges?: number; readonly dryRun?: boolean },
): Promise<readonly MergeView[]> {
  const made: MergeView[] = [];
  const plans = await planMerges(db, merges);
  if (dryRun) return plans.map((plan) => viewOf(plan, null));
  for (let at = 0; at < plans.length; at += mergesPerTransaction) {
    const some = plans.slice(at, at + mergesPerTransaction);
    const work = async (tx: Tx): Promise<readonly MergeView[]> => {
      const views: MergeView[] = [];
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

function viewOf({ members, stays, lesson }: PlannedMerge, id: string | null): MergeView {
  return { id, from: members.map((member) => member.id), kept: stays.id, lesson };
}

/** Puts away what is old, by the periods of `prune`. */
export async function pruneMemory(
  request: Pick<MaintenanceRequest, "db" | "runId" | "now" | "prune" | "difficultyOf">,
  {
    learnings = 1_000_000,
    tasks = 1_000_000,
    dryRun = false,
  }: { readonly learnings?: number; readonly tasks?: number; readonly dryRun?: boolean },
): Promise<PruneView> {
  const { db, runId, now, prune, difficultyOf } = request;
  const old = await oldLearnings(db, prune, now, learnings);
  const reports = await tasksToArchive(db, prune.reportsMs, now, tasks);
  const viewOfAll = (gone: readonly Learning[]): Omit<PruneView, "cleared"> => {
    return { learnings: gone.map(({ id, lesson }) => ({ id, lesson })), reports };
  };
  if (dryRun) return { ...viewOfAll(old), cleared: 0 };
  const gone = await db.transaction((tx) => pruneLearnings(tx, old, { runId, now }));
  for (const taskId of reports) {
    await db.transaction(async (tx) => archiveTask(tx, taskId, await difficultyOf(tx, taskId), now));
  }
  const cleared = await db.transaction((tx) => clearArchive(tx, now));
  return { ...viewOfAll(gone), cleared };
}

async function markStale({ db, root, runId, now }: MaintenanceRequest): Promise<void> {
  const check = await checkCitations(db, root, batchLimits.citations);
  if (check.changes.length > 0) await db.transaction((tx) => markCitations(tx, check, { runId, now }));
}

async function recordFailure(
  { db, runId, now }: MaintenanceRequest,
  step: string,
  error: unknown,
): Promise<void> {
  const message = clip(oneLine(redact(messageOf(error))), 500);
  const data = { kind: "learnings", step, taskId: null, error: message };
  try {
    await db.transaction((tx) => record(tx, { type: "memory.failed", runId, data }, now));
  } catch {
    // A store that takes no event either will be told of by what the run does next.
  }
}
