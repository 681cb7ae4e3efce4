import type { Tx } from "../store/db.ts";
import { acceptEdits, workSince } from "../workspace/baseline.ts";
import type { Loop } from "./loop.ts";
import { nobodys, type WorkspaceState, writeWorkspaceState } from "./workspace-state-store.ts";

/**
 * What the task's attempt leaves in the tree, ready to be saved in the transaction that ends it: so that the next
 * run can tell it from what a person edits in between. A tree without leftovers belongs to nobody again.
 */
export async function rememberLeftovers(
  loop: Pick<Loop, "workspace">,
  state: WorkspaceState,
): Promise<{ save(tx: Tx): Promise<void> }> {
  if (!state.baseline) return { save: async () => undefined };
  const { changedPaths, commits, dropped, dirtyEdits, head, branch } = await workSince(loop.workspace, {
    baseline: state.baseline,
    startHead: state.baseline.head,
  });
  // Such an edit has ended this attempt; the next one is not to be blamed for it again.
  const baseline = await acceptEdits(loop.workspace, state.baseline, dirtyEdits);
  const nothing = changedPaths.length + commits.length + dropped.length === 0;
  const next: WorkspaceState = nothing
    ? { ...state, ...nobodys }
    : { ...state, baseline, leftover: changedPaths, leftAt: { head, branch }, guard: null };
  return { save: (tx) => writeWorkspaceState(tx, next) };
}
