import { RalphError } from "../../base/errors.ts";
import { protectedPaths, takeBaseline } from "../../workspace/baseline.ts";
import { protectPaths } from "../../workspace/protect-paths.ts";
import { status } from "../../workspace/status.ts";
import { commit, type Loop } from "../loop.ts";
import { readWorkspaceState, type WorkspaceState, writeWorkspaceState } from "../workspace-state-store.ts";

/**
 * Looks at the working tree as a run begins. A person's uncommitted edits to tracked files stop it unless
 * `--allow-dirty`; what a task's earlier attempt left is that task's and no obstacle. Returns the paths next to it that
 * a person changed since the last run.
 *
 * @throws RalphError `RALPH_GIT_DIRTY`
 */
export async function openTree(loop: Loop): Promise<readonly string[]> {
  const { allowDirty, commitEnabled } = loop.options;
  const state = await readWorkspaceState(loop.db);
  if (state.taskId === null || !state.baseline) {
    await takeBaseline(loop.workspace, { allowDirty: allowDirty || !commitEnabled });
    return [];
  }
  return separateUserChanges(loop, { ...state, baseline: state.baseline });
}

/** Between two runs a person may have edited files next to a task's leftover paths. */
async function separateUserChanges(
  loop: Loop,
  state: WorkspaceState & { readonly baseline: NonNullable<WorkspaceState["baseline"]> },
): Promise<readonly string[]> {
  if (!state.leftover) return [];
  const known = new Set([...state.leftover, ...protectedPaths(state.baseline)]);
  const { tracked, untracked } = await status(loop.workspace);
  const edited = tracked.filter((path) => !known.has(path));
  if (edited.length > 0 && !loop.options.allowDirty) {
    throw new RalphError(
      "RALPH_GIT_DIRTY",
      `${edited.slice(0, 5).join(", ")} ${edited.length === 1 ? "has" : "have"} uncommitted changes that are not ralph's`,
      { hint: "commit or stash them, or run with --allow-dirty: ralph then leaves them alone" },
    );
  }
  const strangers = untracked.filter((path) => !known.has(path));
  if (edited.length + strangers.length === 0) return [];
  const baseline = await protectPaths(loop.workspace, state.baseline, {
    dirty: edited,
    untracked: strangers,
  });
  await commit(loop, (tx) => writeWorkspaceState(tx, { ...state, baseline }));
  return [...edited, ...strangers];
}
