import type { Tx } from "../../store/port/db.ts";
import { acceptEdits, type Baseline, type WorkSince, workSince } from "../../workspace/baseline.ts";
import { keepOverwritten, protectPaths } from "../../workspace/protect-paths.ts";
import { rollbackRef } from "../../workspace/salvage.ts";
import type { Loop, RunOptions } from "../rows/loop.ts";
import { free, leave, type OwnedState, remove, setOverwritten } from "../rows/workspace-state.ts";
import { writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { rollbackOf } from "./rollback.ts";

/**
 * Inspects what the task's attempt leaves in the tree. The returned `save` belongs in the transaction that ends the
 * attempt: the next run can then tell leftovers from a user's edits, and a kill cannot separate the end of the attempt
 * from the decision to remove its work. All work is removed after a failed attempt with `rollback`, or one that
 * removed existing commits, which may be another task's, or left the run's branch. An attempt without a verdict (null) keeps its work. A tree
 * without leftovers becomes free.
 */
export async function recordLeftovers(
  loop: Pick<Loop, "byproducts" | "workspace">,
  owned: OwnedState,
  onFailure: RunOptions["onFailure"] | null,
): Promise<{ save(tx: Tx): Promise<void> }> {
  const state = await withOverwritten(loop, owned);
  const startHead = state.baseline.head;
  const work = await workSince(loop.workspace, { baseline: state.baseline, startHead });
  const { changedPaths, commits, dropped, dirtyEdits, leftAlone, head, branch } = work;
  // Such an edit ended this attempt; the next attempt is not held responsible for it.
  const accepted = await acceptEdits(loop.workspace, state.baseline, dirtyEdits);
  const baseline = await withMovedFiles(loop, accepted, work);
  const isElsewhere = branch !== baseline.branch;
  const found = [changedPaths, commits, dropped, leftAlone];
  const nothing = found.every((one) => one.length === 0) && !isElsewhere;
  const goes = onFailure === "rollback" || (onFailure === "keep" && (dropped.length > 0 || isElsewhere));
  const left =
    goes && startHead
      ? remove(state, await rollbackOf(loop, rollbackRef(startHead), { work, since: startHead }), baseline)
      : leave(state, { baseline, leftover: changedPaths, leftAt: { head, branch } });
  return { save: (tx) => writeWorkspaceState(tx, loop.workspace, nothing ? free(state) : left) };
}

/** Returns the baseline with the person's files that are at other paths now, or that git stopped ignoring. */
export async function withMovedFiles(
  { workspace }: Pick<Loop, "workspace">,
  baseline: Baseline,
  { moved, movedOver }: Pick<WorkSince, "moved" | "movedOver">,
): Promise<Baseline> {
  const untracked = [...moved.keys()].filter((path) => !movedOver.includes(path));
  return untracked.length === 0 ? baseline : protectPaths(workspace, baseline, { dirty: [], untracked });
}

/**
 * Adds the person's files that the owning task's agent overwrote to the state, so that the next baseline does not take the
 * agent's version for the person's (LOOP-9).
 */
export async function withOverwritten<S extends OwnedState>(
  { byproducts, workspace }: Pick<Loop, "byproducts" | "workspace">,
  state: S,
): Promise<S> {
  const all = await keepOverwritten(workspace, state.baseline, state.overwritten);
  return setOverwritten(
    state,
    all.filter(({ left }) => !byproducts.written.has(left.path)),
  );
}
