import { record } from "../../events/event-store.ts";
import type { Reader } from "../../store/port/db.ts";
import {
  expireClaim,
  expiredClaims,
  type HeldClaim,
  leaseMs,
  listClaims,
} from "../../tasks/graph/claim-store.ts";
import { openIterations } from "../rows/iteration-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { returnMessages } from "../rows/message-store.ts";
import { type Repeated, repeat } from "../rows/repeat.ts";
import { endRun, givenUp, openRuns, type RunRow, renewRun } from "../rows/run-store.ts";
import { tasksOfRun } from "./run-tasks.ts";

type Sharer = Pick<Loop, "clock" | "db" | "log" | "runId">;

/** Milliseconds, of which a lease holds four. */
const renewEveryMs = 15_000;

/**
 * Shows the machines that share the store that this run lives, and ends the runs of others that no longer answer, until stopped. A
 * renewal that fails is repeated at the next interval. Does nothing where no other machine can be.
 */
export function shareProject(loop: Sharer): Repeated {
  if (!isShared(loop)) return { stop: async () => undefined };
  const beat = async (): Promise<void> => {
    await loop.db.transaction((tx) => renewRun(tx, loop.runId, loop.clock.now()), { alone: false });
    await giveUpSilent(loop);
  };
  void beat().catch(() => undefined);
  return repeat(renewEveryMs, beat);
}

/** True where runs of other machines may hold the project too. */
export function isShared({ db }: Pick<Loop, "db">): boolean {
  return db.dialect.place !== "";
}

/**
 * Gives up the runs of other machines that were not renewed for a lease, and takes over their claims and all others that were not: their
 * tasks return to the list and no attempt counts. What such a run still does is refused by the tokens of its claims. Its own machine
 * recovers its work, as after a kill.
 */
async function giveUpSilent(loop: Sharer): Promise<void> {
  const { clock, db, runId } = loop;
  if (!(await findSilent(db, loop))) return;
  await commit(loop, async (tx) => {
    const now = clock.now();
    const found = await findSilent(tx, loop);
    if (!found) return;
    const { runs, claims } = found;
    for (const claim of claims) await expireClaim(tx, claim, now);
    for (const { iterationId, runId: of } of await openIterations(tx))
      if (runs.some(({ id }) => id === of)) await returnMessages(tx, iterationId, now);
    for (const { id } of runs)
      await endRun(tx, { id, endedAt: now.toISOString(), reason: givenUp, exitCode: null });
    const warnings = runs.map(
      ({ id, owner }) =>
        `${id} on ${owner.host} was given up: it did not answer for ${leaseMs / 1000} seconds`,
    );
    const data = { claims: claims.length, processes: 0, commits: 0, locks: 0, warnings };
    await record(tx, { type: "run.recovered", runId, data }, now);
  });
}

/** Returns what other machines did not renew for a lease; undefined: nothing. */
async function findSilent(
  q: Reader,
  { clock, runId }: Sharer,
): Promise<{ readonly runs: readonly RunRow[]; readonly claims: readonly HeldClaim[] } | undefined> {
  const runs = (await openRuns(q)).filter(({ id, isSilent }) => isSilent && id !== runId);
  const expired = await expiredClaims(q, clock.now());
  if (runs.length + expired.length === 0) return undefined;
  const isLost = (claim: HeldClaim): boolean =>
    runs.some(({ id }) => id === claim.runId) || expired.some(({ taskId }) => taskId === claim.taskId);
  const claims = (await listClaims(q)).filter((claim) => claim.runId !== runId && isLost(claim));
  return runs.length + claims.length === 0 ? undefined : { runs, claims };
}

/** Returns true when a task of this run may become ready by the work of another machine. */
export async function othersWork({
  db,
  options,
  runId,
}: Pick<Loop, "db" | "options" | "runId">): Promise<boolean> {
  if (!isShared({ db }) || (await listClaims(db)).every((claim) => claim.runId === runId)) return false;
  const tasks = await tasksOfRun(db, options.only);
  return tasks.some(({ status }) => status === "pending" || status === "in_progress");
}
