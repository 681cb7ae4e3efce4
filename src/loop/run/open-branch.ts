import { position } from "../../workspace/git/status.ts";
import { createBranch } from "../../workspace/open-workspace.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";

/**
 * Creates the branch of `--branch` at HEAD and switches to it, unless HEAD is on it. A task's unfinished work moves along:
 * a later salvage removes it from the new branch.
 *
 * @throws RalphError `RALPH_GIT_BRANCH`
 */
export async function openBranch(loop: Pick<Loop, "db" | "log" | "options" | "workspace">): Promise<void> {
  const { branch } = loop.options;
  if (branch === null) return;
  const before = await position(loop.workspace);
  await createBranch(loop.workspace, branch);
  const now = await position(loop.workspace);
  const state = await readWorkspaceState(loop.db);
  if (now.ref === before.ref || state.kind === "free") return;
  const moved = <T extends { readonly branch: string | null } | null>(place: T): T =>
    place?.branch === before.ref ? { ...place, branch: now.ref } : place;
  const atBranch = "leftAt" in state ? { ...state, leftAt: moved(state.leftAt) } : state;
  const next = { ...atBranch, baseline: moved(state.baseline) };
  await commit(loop, (tx) => writeWorkspaceState(tx, next));
}
