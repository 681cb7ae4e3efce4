import type { OpenWork } from "../../agents/caller.ts";
import { readEnv } from "../../config/environment.ts";
import { type OpenIteration, openIterations } from "../../loop/iteration-store.ts";
import { openRuns, runById } from "../../loop/run-store.ts";
import type { IterationHere } from "../../memory/learning-actions.ts";
import type { Reader } from "../../store/db.ts";
import { openStore } from "../../store/open-store.ts";
import { listClaims } from "../../tasks/claim-store.ts";
import type { Began } from "../../tasks/task-actions.ts";
import { activeRuns } from "../trust/active-runs.ts";

/** Milliseconds; a run renews its claims every 15 s. */
const leaseMs = 60_000;

/**
 * Returns the iteration that started this process, by its agent or its verification; null when a person did. Asks the store
 * first: without an open iteration, no process is inspected. A process of another project's iteration is that project's
 * agent; its iteration is then unknown. The environment alone makes a process an agent's, but never a person's.
 */
export async function currentIteration(db: Reader): Promise<IterationHere | null> {
  const open = await openIterations(db);
  if (open.length > 0) {
    const found = await iterationAround(await openWork(db, open));
    if (found) return toHere(found);
  }
  return (await elsewhere()) ?? namedByEnvironment(open);
}

/** Returns when an iteration of this project and its run began; undefined for none. */
export async function beginningOf(db: Reader, iteration: IterationHere | null): Promise<Began | undefined> {
  if (!iteration?.startedAt) return undefined;
  const run = iteration.runId === null ? undefined : await runById(db, iteration.runId);
  return { iteration: iteration.startedAt, run: run?.startedAt ?? iteration.startedAt };
}

/** Returns the iteration of another project, or of a store that cannot be read, that started this process. */
export async function iterationElsewhere(): Promise<IterationHere | null> {
  return (await elsewhere()) ?? namedByEnvironment([]);
}

interface Work extends OpenWork {
  readonly latest: OpenIteration;
}

/** Returns the open iterations by run. A run that has ended has none. */
export async function openWork(db: Reader, open: readonly OpenIteration[]): Promise<readonly Work[]> {
  const [runs, claims] = [await openRuns(db), await listClaims(db)];
  return runs.flatMap(({ id, owner }) => {
    const own = open.filter(({ runId }) => runId === id);
    const latest = own.at(-1);
    if (!latest) return [];
    const beats = claims.filter(({ runId }) => runId === id).map((claim) => Date.parse(claim.heartbeatAt));
    const holdsLease = beats.some((beat) => beat > Date.now() - leaseMs);
    return { owner, markers: own.map(({ marker }) => marker), holdsLease, latest };
  });
}

/** Loads what inspects processes only when an iteration is open. */
export function callerRules(): Promise<typeof import("../../agents/caller.ts")> {
  return import("../../agents/caller.ts");
}

async function iterationAround(works: readonly Work[]): Promise<OpenIteration | undefined> {
  const { isInside } = await callerRules();
  for (const work of works) if (await isInside(work)) return work.latest;
  return undefined;
}

/** Returns an iteration of another project; of an unknown one where this process is marked and no run is to be seen. */
async function elsewhere(): Promise<IterationHere | null> {
  const { isCertainlyInside, isMarkedCaller } = await callerRules();
  for (const run of await activeRuns()) if (await isCertainlyInside(run)) return await latestOf(run.store);
  return isMarkedCaller() ? noAgent : null;
}

/** A run started this process, but no iteration is open: it verifies the project, or runs a hook. */
const noAgent: IterationHere = { taskId: "an unknown task", runId: null };

/** Returns true if ralph started this process while no agent is known to work. */
export function isWithoutAgent(iteration: IterationHere): boolean {
  return iteration === noAgent;
}

const unknownIteration: IterationHere = { taskId: "another project's task", runId: null, elsewhere: true };

/** Returns the open iteration of another project's store. One that cannot be read, or has been changed, does not name it. */
async function latestOf(path: string): Promise<IterationHere> {
  try {
    const db = await openStore({ path, readOnly: true, create: false, migrate: false });
    const latest = await openIterations(db).finally(() => db.close());
    const last = latest.at(-1);
    // Tasks of two projects can have the same id.
    const taskId = `${last?.taskId} of another project`;
    return last ? { taskId, runId: last.runId, elsewhere: true } : noAgent;
  } catch {
    return unknownIteration;
  }
}

function namedByEnvironment(open: readonly OpenIteration[]): IterationHere | null {
  const taskId = readEnv("RALPH_TASK_ID");
  if (!taskId) return null;
  const runId = readEnv("RALPH_RUN_ID") ?? null;
  const row = open.findLast((one) => one.taskId === taskId && one.runId === runId);
  return row ? toHere(row) : { taskId, runId };
}

function toHere({ taskId, runId, iterationId, model, startedAt }: OpenIteration): IterationHere {
  return { taskId, runId, iterationId, model, startedAt };
}
