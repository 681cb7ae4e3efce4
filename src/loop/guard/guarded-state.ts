import { join } from "node:path";
import { restoreProcessRows } from "../../events/process-rows.ts";
import { revertTampering } from "../../events/revert-tampering.ts";
import type { View } from "../../store/db.ts";
import { restoreClaim } from "../../tasks/claim-store.ts";
import type { Claim } from "../../tasks/task.ts";
import { commit, type Loop } from "../loop.ts";
import { endPlantedRuns } from "../run-store.ts";
import { guardStore, type StoreGuard } from "./guard-store.ts";

/** The former state of the store, which an agent may not change. */
export interface GuardedState {
  /** The rows of tasks and memory. */
  rows: View;
  /** The files of the store and of the event log. */
  readonly store: StoreGuard;
  /** Changes when another connection writes to the store. */
  version: number;
}

export type Guarding = Pick<
  Loop,
  "clock" | "db" | "folder" | "log" | "options" | "owner" | "root" | "runId" | "workspace"
>;

/** Takes the state before an agent runs. The caller releases it with `releaseState`. */
export async function guardState(loop: Guarding): Promise<GuardedState> {
  // Before the view: a write between the two then costs a needless comparison, and none is missed.
  const version = await loop.db.dialect.changeStamp();
  // A store that is damaged now is rebuilt from the log, and a log that is removed gets no events until it is back.
  await loop.log.flush();
  const store = await guardStore(loop);
  return { version, store, rows: await loop.db.view() };
}

export async function releaseState(guarded: GuardedState): Promise<void> {
  guarded.store.release();
  await guarded.rows.close();
}

/**
 * Restores rows that differ, the store's own file too, and returns a warning for each. Changes that users and agents make through
 * ralph stay. May be called repeatedly; it is cheap while no other process writes.
 */
export async function restoreState(
  loop: Guarding,
  guarded: GuardedState,
  claim: Claim,
): Promise<readonly string[]> {
  await guarded.store.restore();
  await renewView(loop, guarded);
  const wasWritten = (await loop.db.dialect.changeStamp()) !== guarded.version;
  if (wasWritten && (await loop.db.dialect.findUnreadable(guarded.rows)) !== undefined) {
    await guarded.store.rebuild();
    await renewView(loop, guarded);
  }
  const storeWarnings = guarded.store.takeWarnings();
  const version = await loop.db.dialect.changeStamp();
  const isSuspect = storeWarnings.length > 0 || version !== guarded.version;
  const rows = isSuspect ? await revertRows(loop, claim, guarded) : [];
  guarded.version = version;
  return [...storeWarnings, ...rows];
}

/** Replaces the view of a store that was rebuilt or put back: it may show what the agent left. */
async function renewView({ db }: Guarding, guarded: GuardedState): Promise<void> {
  if (!guarded.store.takeRenewed()) return;
  await guarded.rows.close();
  guarded.rows = await db.view();
}

async function revertRows(loop: Guarding, claim: Claim, { rows }: GuardedState): Promise<readonly string[]> {
  const file = join(loop.folder, "events.jsonl");
  return commit(loop, async (tx) => {
    const now = loop.clock.now();
    const warnings = [...(await revertTampering(tx, { before: rows, file }, { runId: loop.runId, now }))];
    for (const one of await restoreProcessRows(tx, rows)) warnings.push(one);
    await restoreClaim(tx, claim, { owner: loop.owner, runId: loop.runId }, now);
    // No other can be active beside this one; the next would be refused.
    return [...warnings, ...(await endPlantedRuns(tx, ({ id }) => id !== loop.runId, now))];
  });
}
