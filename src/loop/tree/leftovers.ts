import type { Tx } from "../../store/db.ts";
import { acceptEdits, workSince } from "../../workspace/baseline.ts";
import { rollbackRef } from "../../workspace/salvage.ts";
import type { Loop, RunOptions } from "../loop.ts";
import { emptyTreeState, type WorkspaceState, writeWorkspaceState } from "../workspace-state-store.ts";
import { rollbackOf } from "./rollback.ts";

/**
 * What the task's attempt leaves in the tree, ready to be saved in the transaction that ends it: so that the next
 * run can tell it from what a person edits in between. A tree without leftovers belongs to nobody again. What is then
 * to be removed is decided here, so that a kill cannot come between: all of it (`rollback`), or an attempt that took
 * commits away, which may be another task's. An attempt that was not judged (null) keeps what it did.
 */
export async function recordLeftovers(
  loop: Pick<Loop, "workspace">,
  state: WorkspaceState,
  onFailure: RunOptions["onFailure"] | null,
): Promise<{ save(tx: Tx): Promise<void> }> {
  if (!state.baseline) return { save: async () => undefined };
  const startHead = state.baseline.head;
  const work = await workSince(loop.workspace, { baseline: state.baseline, startHead });
  const { changedPaths, commits, dropped, dirtyEdits, head, branch } = work;
  // Such an edit has ended this attempt; the next one is not to be blamed for it again.
  const baseline = await acceptEdits(loop.workspace, state.baseline, dirtyEdits);
  const nothing = changedPaths.length + commits.length + dropped.length === 0;
  const leftAt = { head, branch };
  const goes = onFailure === "rollback" || (onFailure === "keep" && dropped.length > 0);
  const removal = goes && startHead ? rollbackOf(rollbackRef(startHead), work) : null;
  const next: WorkspaceState = nothing
    ? { ...state, ...emptyTreeState }
    : { ...state, baseline, leftover: changedPaths, leftAt, removal, guard: null };
  return { save: (tx) => writeWorkspaceState(tx, next) };
}
