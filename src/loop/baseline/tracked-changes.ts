import { changedAfter } from "../../workspace/changed-after.ts";
import { rollbackRef, salvage } from "../../workspace/salvage.ts";
import { position, status } from "../../workspace/status.ts";
import { commit, type Loop } from "../loop.ts";
import type { LastHeartbeat } from "../run/last-heartbeat.ts";
import { free, verify } from "../tree/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../tree/workspace-state-store.ts";

type Verifier = Pick<Loop, "db" | "log" | "workspace">;

/**
 * Runs `verification` and removes the changes that it made to tracked files (a formatter, say): they would count as a
 * person's edits, which no attempt may touch. They are saved under a rollback ref. The store knows while it runs, so that
 * the next start can complete this after a kill.
 */
export async function withoutTrackedChanges<T>(loop: Verifier, verification: () => Promise<T>): Promise<T> {
  const { tracked } = await status(loop.workspace);
  const state = await readWorkspaceState(loop.db);
  if (state.kind === "free") await commit(loop, (tx) => writeWorkspaceState(tx, verify(state, tracked)));
  const result = await verification();
  await removeTrackedChanges(loop, tracked);
  if (state.kind === "free") await commit(loop, (tx) => writeWorkspaceState(tx, free(state)));
  return result;
}

/**
 * Removes what a killed run's verification of the baseline had changed in tracked files. What changed after the kill is a
 * person's and stays (LOOP-22).
 */
export async function recoverTrackedChanges(
  loop: Verifier,
  lastAlive: LastHeartbeat | undefined,
): Promise<void> {
  const state = await readWorkspaceState(loop.db);
  if (state.kind !== "free" || !state.verifying) return;
  if (lastAlive) {
    const { tracked } = await status(loop.workspace);
    const late = await changedAfter(loop.workspace, tracked, lastAlive.wasDeadAt);
    await removeTrackedChanges(loop, [...state.verifying, ...late]);
  }
  await commit(loop, (tx) => writeWorkspaceState(tx, free(state)));
}

async function removeTrackedChanges(loop: Verifier, kept: readonly string[]): Promise<void> {
  const { tracked } = await status(loop.workspace);
  const known = new Set(kept);
  const paths = tracked.filter((path) => !known.has(path));
  const { hash: startHead } = await position(loop.workspace);
  if (paths.length === 0 || startHead === null) return;
  const message = "ralph: changes that verification made before the first attempt";
  await salvage(loop.workspace, { ref: rollbackRef(startHead), paths, startHead, message });
}
