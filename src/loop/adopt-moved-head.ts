import { takeBaseline } from "../workspace/baseline.ts";
import { position } from "../workspace/status.ts";
import { type Loop, write } from "./loop.ts";
import { type WorkspaceState, writeWorkspaceState } from "./workspace-state-store.ts";

/**
 * Between two iterations only a person moves HEAD: what they committed, or the branch they went to, is then where the
 * task begins anew, so that putting its work aside never takes a person's commits along. Only what its last attempt
 * left uncommitted is still the task's.
 */
export async function adoptMovedHead(
  loop: Pick<Loop, "db" | "log" | "workspace">,
  state: WorkspaceState,
): Promise<WorkspaceState> {
  const { leftAt, leftover } = state;
  if (!leftAt || !leftover) return state;
  const now = await position(loop.workspace);
  if (now.hash === leftAt.head && now.ref === leftAt.branch) return state;
  const found = await takeBaseline(loop.workspace, { allowDirty: true });
  const theTasks = new Set(leftover);
  const baseline = {
    ...found,
    untracked: found.untracked.filter(({ path }) => !theTasks.has(path)),
    dirty: found.dirty.filter(({ path }) => !theTasks.has(path)),
  };
  const adopted = { ...state, baseline, leftAt: { head: found.head, branch: found.branch } };
  await write(loop, (tx) => writeWorkspaceState(tx, adopted));
  return adopted;
}
