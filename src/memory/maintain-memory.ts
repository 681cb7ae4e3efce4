import { messageOf } from "../base/errors.ts";
import { record } from "../events/event-store.ts";
import { sumUpOutcomes, tasksWithOldAttempts } from "../outcome/attempt-sums-store.ts";
import type { Tx } from "../store/port/db.ts";
import { safeLine } from "../trust/safe-text.ts";
import { deleteReportsOf } from "./failures/failure-store.ts";
import { loadKinds } from "./kinds.ts";
import { trialOf } from "./learnings/learning-memory.ts";
import { pruneOldLearnings } from "./learnings/maintain-learnings.ts";
import type { NamedMemory } from "./port/kind-commands.ts";
import type { MaintenanceRequest } from "./port/memory-kind.ts";
import { completeIndex, repairIndex } from "./repair-index.ts";

/** The periods of LEARN-8 and LEARN-9. */
export type MaintenanceOptions = Pick<MaintenanceRequest, "summarizeAbove" | "prune" | "difficultyOf">;

/** Maximum number of tasks whose attempts one maintenance deletes. */
const maxTasks = 200;

/** The records that were archived or deleted, or would be in a dry run. */
export interface PruneView {
  readonly learnings: readonly NamedMemory[];
  /** Finished tasks whose attempts were deleted. */
  readonly reports: readonly string[];
}

interface Step {
  readonly kind: string;
  readonly step: string;
  readonly work: () => Promise<unknown>;
}

/**
 * Runs the maintenance of every kind, repairs the index and deletes old attempts. Never throws: a step that fails
 * becomes a `memory.failed` event, and the others still run. Ends early, between two transactions, with its pacer.
 */
export async function maintainMemory(request: MaintenanceRequest): Promise<void> {
  const { db, pacer } = request;
  // Rebuilding an index that is only slow is one long transaction: the end of the run does it.
  const repair = pacer ? completeIndex : repairIndex;
  const steps: readonly Step[] = [
    { kind: "memory", step: "index", work: () => repair(db) },
    ...(await loadKinds()).flatMap(({ name, maintenance = [] }) =>
      maintenance.map(({ step, run }) => ({ kind: name, step, work: () => run(request) })),
    ),
    { kind: "memory", step: "attempts", work: () => deleteOldAttempts(request, { tasks: maxTasks }) },
  ];
  for (const step of steps) {
    try {
      await pacer?.pause();
      await step.work();
    } catch (error) {
      if (pacer?.signal.aborted) return;
      await recordFailure(request, step, error);
    }
  }
}

type PruneRequest = Pick<MaintenanceRequest, "db" | "runId" | "now" | "prune" | "difficultyOf" | "pacer">;

/** Archives old learnings, and deletes the attempts of tasks that were finished long ago (LEARN-9). */
export async function pruneMemory(
  request: PruneRequest,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<PruneView> {
  const learnings = await pruneOldLearnings(request, { limit: 1_000_000, dryRun });
  return { learnings, reports: await deleteOldAttempts(request, { tasks: 1_000_000, dryRun }) };
}

async function deleteOldAttempts(
  { db, now, prune, difficultyOf, pacer }: PruneRequest,
  { tasks, dryRun = false }: { readonly tasks: number; readonly dryRun?: boolean },
): Promise<readonly string[]> {
  const old = await tasksWithOldAttempts(db, prune.reportsMs, now, tasks);
  if (dryRun) return old;
  for (const taskId of old) {
    await pacer?.pause();
    await db.transaction(async (tx) => deleteAttempts(tx, taskId, await difficultyOf(tx, taskId), now));
  }
  return old;
}

/** Deletes a finished task's outcomes and failure reports; their sums stay. */
async function deleteAttempts(tx: Tx, taskId: string, difficulty: string, now: Date): Promise<void> {
  // The rows of failure reports refer to outcomes.
  await deleteReportsOf(tx, taskId, now);
  const memoryOf = async (iterationId: string): Promise<string> => (await trialOf(tx, iterationId)) ?? "none";
  await sumUpOutcomes(tx, taskId, { difficulty, memoryOf });
}

async function recordFailure(
  { db, runId, now }: MaintenanceRequest,
  { kind, step }: Step,
  error: unknown,
): Promise<void> {
  const message = safeLine(messageOf(error), 500);
  const data = { kind, step, taskId: null, error: message };
  try {
    await db.transaction((tx) => record(tx, { type: "memory.failed", runId, data }, now));
  } catch {
    // A store that accepts no event either fails the run's next write.
  }
}
