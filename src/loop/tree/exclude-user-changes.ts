import { RalphError } from "../../base/errors.ts";
import { acceptEdits, type Baseline, protectedPaths } from "../../workspace/baseline.ts";
import { changedAfter } from "../../workspace/changed-after.ts";
import { protectPaths } from "../../workspace/protect-paths.ts";
import { status } from "../../workspace/status.ts";
import { commit, type Loop } from "../loop.ts";
import type { LastAlive } from "../run/last-alive.ts";
import { readWorkspaceState, type WorkspaceState, writeWorkspaceState } from "../workspace-state-store.ts";

/**
 * Takes out of a killed run's work what changed after the run was last alive: that is a person's (LOOP-22). A file that
 * both changed is the person's as a whole. What remains becomes the task's leftover paths, so that `openTree` treats
 * everything else as it treats any edit of a person's. Returns the person's paths that are not in `openTree`'s sight.
 */
export async function excludePersonChanges(
  loop: Pick<Loop, "db" | "log" | "workspace">,
  lastAlive: LastAlive,
): Promise<readonly string[]> {
  const state = await readWorkspaceState(loop.db);
  const { taskId, baseline, leftover, removal } = state;
  if (taskId === null || !baseline) return [];
  const late = (paths: readonly string[]): Promise<string[]> =>
    changedAfter(loop.workspace, paths, lastAlive.wasDeadAt);
  const { tracked, untracked } = await status(loop.workspace);
  const known = new Set(protectedPaths(baseline));
  const changed = [...tracked, ...untracked].filter((path) => !known.has(path));
  const persons = new Set(await late(changed));
  const own = await withPersonsEdits(loop, baseline, await late([...known]));
  const next = removal
    ? await withoutPersons(loop, { ...state, removal, baseline: own }, { tracked, persons })
    : { ...state, baseline: own, leftover: (leftover ?? changed).filter((path) => !persons.has(path)) };
  await commit(loop, (tx) => writeWorkspaceState(tx, next));
  return removal ? [...persons] : [];
}

/** An attempt is not to be blamed for what a person did to their own files since. */
async function withPersonsEdits(
  { workspace }: Pick<Loop, "workspace">,
  baseline: Baseline,
  edited: readonly string[],
): Promise<Baseline> {
  if (edited.length === 0) return baseline;
  const accepted = await acceptEdits(workspace, baseline, edited);
  const { finished } = accepted;
  if (!finished) return accepted;
  const paths = finished.paths.filter((path) => !edited.includes(path));
  return { ...accepted, finished: { ...finished, paths } };
}

/** A removal that was under way: the person's paths stay, also where the agent's commits hold them. */
async function withoutPersons(
  { workspace }: Pick<Loop, "workspace">,
  state: WorkspaceState &
    Pick<{ [K in keyof WorkspaceState]: NonNullable<WorkspaceState[K]> }, "removal" | "baseline">,
  { tracked, persons }: { readonly tracked: readonly string[]; readonly persons: ReadonlySet<string> },
): Promise<WorkspaceState> {
  const { removal } = state;
  const dirty = tracked.filter((path) => persons.has(path));
  const untracked = [...persons].filter((path) => !dirty.includes(path));
  const baseline = await protectPaths(workspace, state.baseline, { dirty, untracked });
  return {
    ...state,
    baseline,
    removal: { ...removal, paths: removal.paths.filter((path) => !persons.has(path)) },
  };
}

/**
 * Returns those of the verified `paths` of a pending commit that no person changed after the kill.
 *
 * @throws RalphError `RALPH_GIT_DIRTY` when a person did, unless `--allow-dirty` leaves such files out of the commit.
 */
export async function withoutPersonChanges(
  { workspace, options }: Pick<Loop, "workspace" | "options">,
  paths: readonly string[],
  lastAlive: LastAlive | undefined,
): Promise<readonly string[]> {
  const late = lastAlive ? await changedAfter(workspace, paths, lastAlive.wasDeadAt) : [];
  if (late.length === 0) return paths;
  const { tracked, untracked } = await status(workspace);
  const changed = new Set([...tracked, ...untracked]);
  const persons = late.filter((path) => changed.has(path));
  if (persons.length > 0 && !options.allowDirty) {
    throw new RalphError(
      "RALPH_GIT_DIRTY",
      `${persons.slice(0, 5).join(", ")} changed after ralph was killed: verified work in there is not committed yet`,
      { hint: "commit or stash your changes, or run with --allow-dirty: ralph then commits the other files" },
    );
  }
  return paths.filter((path) => !persons.includes(path));
}
