import { createBranch } from "../../workspace/commit.ts";
import { position } from "../../workspace/status.ts";
import { commit, type Loop } from "../loop.ts";
import { readWorkspaceState, writeWorkspaceState } from "../workspace-state-store.ts";

/**
 * `--branch`: makes the branch where HEAD stands and goes to it, unless it is there already. A task's unfinished work
 * comes along: what it will be put aside from is the new branch, not the one that was left.
 *
 * @throws RalphError `RALPH_GIT_BRANCH`
 */
export async function openBranch(loop: Loop): Promise<void> {
  const { branch } = loop.options;
  if (branch === null) return;
  const before = await position(loop.workspace);
  await createBranch(loop.workspace, branch);
  const now = await position(loop.workspace);
  const state = await readWorkspaceState(loop.db);
  if (now.ref === before.ref || state.taskId === null) return;
  const moved = <T extends { readonly branch: string | null }>(place: T | null): T | null =>
    place?.branch === before.ref ? { ...place, branch: now.ref } : place;
  const next = { ...state, baseline: moved(state.baseline), leftAt: moved(state.leftAt) };
  await commit(loop, (tx) => writeWorkspaceState(tx, next));
}
