import { RalphError } from "../../base/errors.ts";
import { sourcePaths } from "../../tasks/graph/task-store.ts";
import { acceptEdits, type Baseline, protectedPaths, withoutMoved } from "../../workspace/baseline.ts";
import { changedAfter } from "../../workspace/changed-after.ts";
import { status } from "../../workspace/git/status.ts";
import { protectPaths } from "../../workspace/protect-paths.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { leave, type RemovingState, remove } from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import type { LastHeartbeat } from "./last-heartbeat.ts";

/**
 * Excludes from a killed run's work everything that changed after the run was last alive: these are a user's changes
 * (LOOP-22). A file that both changed belongs to the user as a whole. The rest becomes the task's leftover paths, so that
 * `openTree` treats all other paths like any user's edits. Returns the user's paths that `openTree` does not see.
 */
export async function excludeUserChanges(
  loop: Pick<Loop, "db" | "log" | "workspace">,
  lastAlive: LastHeartbeat,
): Promise<readonly string[]> {
  const state = await readWorkspaceState(loop.db, loop.workspace);
  if (state.kind === "free") return [];
  const late = (paths: readonly string[]): Promise<string[]> =>
    changedAfter(loop.workspace, paths, lastAlive.wasDeadAt);
  const { tracked, untracked } = await status(loop.workspace);
  const known = new Set(protectedPaths(state.baseline));
  const changed = [...tracked, ...untracked].filter((path) => !known.has(path));
  const users = new Set(await late(changed));
  const baseline = await withUserEdits(loop, state.baseline, await late([...known]));
  if (state.kind === "removing") {
    const next = await withoutUsers(loop, { ...state, baseline }, { tracked, users });
    await commit(loop, (tx) => writeWorkspaceState(tx, loop.workspace, next));
    return [...users];
  }
  const paths = state.kind === "left" ? state.leftover : changed;
  const agents = await withoutMoved(loop.workspace, state.baseline, paths);
  const leftover = agents.filter((path) => !users.has(path));
  const leftAt = state.leftAt;
  await commit(loop, (tx) =>
    writeWorkspaceState(tx, loop.workspace, leave(state, { baseline, leftover, leftAt })),
  );
  return [];
}

/** Returns the baseline with a user's later edits to their own files: no attempt is held responsible for these. */
async function withUserEdits(
  { workspace }: Pick<Loop, "workspace">,
  baseline: Baseline,
  edited: readonly string[],
): Promise<Baseline> {
  if (edited.length === 0) return baseline;
  const accepted = await acceptEdits(workspace, baseline, edited);
  const { finished } = accepted;
  if (!finished) return accepted;
  const users = new Set(edited);
  const paths = finished.paths.filter((path) => !users.has(path));
  return { ...accepted, finished: { ...finished, paths } };
}

/** Excludes the user's paths from a removal, also where the agent's commits contain them. */
async function withoutUsers(
  { workspace }: Pick<Loop, "workspace">,
  state: RemovingState,
  { tracked, users }: { readonly tracked: readonly string[]; readonly users: ReadonlySet<string> },
): Promise<RemovingState> {
  const { removal } = state;
  const dirty = tracked.filter((path) => users.has(path));
  const isDirty = new Set(dirty);
  const untracked = [...users].filter((path) => !isDirty.has(path));
  const baseline = await protectPaths(workspace, state.baseline, { dirty, untracked });
  const paths = removal.paths.filter((path) => !users.has(path));
  return remove(state, { ...removal, paths }, baseline);
}

/**
 * Returns those of the verified `paths` of a pending commit that no user changed after the kill.
 *
 * @throws RalphError `RALPH_GIT_DIRTY` when a user did, unless `--allow-dirty` leaves such files out of the commit.
 */
export async function withoutUserChanges(
  { db, workspace, options }: Pick<Loop, "db" | "workspace" | "options">,
  paths: readonly string[],
  lastAlive: LastHeartbeat | undefined,
): Promise<readonly string[]> {
  if (!lastAlive) return paths;
  const lists = new Set(await sourcePaths(db));
  const work = paths.filter((path) => !lists.has(path));
  const late = await changedAfter(workspace, work, lastAlive.wasDeadAt);
  if (late.length === 0) return paths;
  const { tracked, untracked } = await status(workspace);
  const changed = new Set([...tracked, ...untracked]);
  const users = new Set(late.filter((path) => changed.has(path)));
  if (users.size > 0 && !options.allowDirty) {
    throw new RalphError(
      "RALPH_GIT_DIRTY",
      `${[...users].slice(0, 5).join(", ")} changed after ralph was killed: verified work in there is not committed yet`,
      { hint: "commit or stash your changes, or run with --allow-dirty: ralph then commits the other files" },
    );
  }
  return paths.filter((path) => !users.has(path));
}
