import { count } from "../../base/text.ts";
import { type Baseline, protectedPaths, takeBaseline, workSince } from "../../workspace/baseline.ts";
import { changedAfter } from "../../workspace/changed-after.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { status } from "../../workspace/git/status.ts";
import { protectPaths } from "../../workspace/protect-paths.ts";
import { rollbackRef, salvage } from "../../workspace/salvage.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { free, verify } from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { movedWhileAlive } from "./adopt-moved-head.ts";
import type { LastHeartbeat } from "./last-heartbeat.ts";
import { withMovedFiles } from "./leftovers.ts";
import { takeOutEdits } from "./take-out-edits.ts";

type Verifier = Pick<Loop, "db" | "log" | "workspace">;

/** The callbacks of `withoutTrackedChanges`. */
interface Verification<T> {
  readonly verify: () => Promise<T>;
  /** Called with a warning for each commit, branch and file of a person that was not as before. */
  readonly onRestored: (warnings: readonly string[]) => void;
}

/**
 * Runs the verification and removes the changes that it made to tracked files (a formatter, say), and its commits: they would
 * count as a person's, which no attempt may touch. They are saved under a rollback ref. HEAD and its branch are put back. The
 * store knows while it runs, so that the next start can complete this after a kill.
 */
export async function withoutTrackedChanges<T>(
  loop: Verifier,
  { verify: run, onRestored }: Verification<T>,
): Promise<T> {
  const before = await takeBaseline(loop.workspace, { allowDirty: true });
  const state = await readWorkspaceState(loop.db);
  if (state.kind === "free") await commit(loop, (tx) => writeWorkspaceState(tx, verify(state, before)));
  const result = await run();
  onRestored(await restoreTracked(loop, before, new Set(state.finished)));
  if (state.kind === "free") await commit(loop, (tx) => writeWorkspaceState(tx, free(state)));
  return result;
}

/** Puts HEAD, its branch and tracked files back, except a person's. Returns warnings; none for edits of `changeable`. */
async function restoreTracked(
  loop: Verifier,
  before: Baseline,
  changeable: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { head: startHead, branch: startBranch } = before;
  if (startHead === null) return [];
  const takenOut = await takeOutEdits(loop, before);
  const work = await workSince(loop.workspace, { baseline: before, startHead });
  const isMoved = work.head !== startHead || work.branch !== startBranch;
  const edited = work.dirtyEdits.filter((path) => !changeable.has(path));
  const keep = protectedPaths(await withMovedFiles(loop, before, work));
  const known = new Set(keep);
  const paths = (await status(loop.workspace)).tracked.filter((path) => !known.has(path));
  const warnings = [
    ...takenOut,
    ...edited.map((path) => `${path}, which has uncommitted changes of yours, was changed: review it`),
  ];
  if (!isMoved && paths.length === 0) return warnings;
  const place = { startHead, startBranch, keep };
  const saved = await salvage(loop.workspace, { ref: rollbackRef(startHead), paths, ...place, message });
  return isMoved ? [...warnings, movedWarning(before, work, saved?.ref)] : warnings;
}

const message = "ralph: changes that verification made before the first attempt";

interface Moved extends Pick<Baseline, "head" | "branch"> {
  readonly commits: readonly string[];
  readonly dropped: readonly string[];
}

/** Says where HEAD is again, what it had lost, and where what it had gained is kept. */
function movedWarning(before: Baseline, { branch, commits, dropped }: Moved, ref = ""): string {
  const named = (name: string | null): string => name?.replace("refs/heads/", "") ?? "a detached HEAD";
  const switched = branch === before.branch ? "" : `, from ${named(branch)}`;
  const lost = dropped.length === 0 ? "" : `; commits that it no longer had: ${dropped.join("; ")}`;
  const gained =
    commits.length === 0 ? "" : `; ${count(commits.length, "new commit")} removed: git log ${ref}`;
  const at = `${named(before.branch)} at ${before.head?.slice(0, 12)}`;
  return `put HEAD back to ${at}${switched}, as it was before${gained}${lost}`;
}

/**
 * Removes what a killed run's verification of the baseline had changed in tracked files, and puts HEAD back. What changed after
 * the kill is a person's and stays (LOOP-22). Returns warnings.
 */
export async function recoverTrackedChanges(
  loop: Verifier,
  lastAlive: LastHeartbeat | undefined,
): Promise<readonly string[]> {
  const state = await readWorkspaceState(loop.db);
  if (state.kind !== "free" || !state.verifying) return [];
  const { verifying: before } = state;
  const warnings: string[] = [];
  if (lastAlive) {
    const { tracked, untracked } = await status(loop.workspace);
    const late = await changedAfter(loop.workspace, [...tracked, ...untracked], lastAlive.wasDeadAt);
    if ((await isMovedFrom(loop, before)) && (await movedWhileAlive(loop, lastAlive))) {
      const known = new Set(protectedPaths(before));
      const isLate = (path: string): boolean => late.includes(path) && !known.has(path);
      const users = { dirty: tracked.filter(isLate), untracked: untracked.filter(isLate) };
      const baseline = await protectPaths(loop.workspace, before, users);
      for (const one of await restoreTracked(loop, baseline, new Set([...state.finished, ...late])))
        warnings.push(one);
    } else await removeTrackedChanges(loop, [...before.dirty.map(({ path }) => path), ...late]);
  }
  await commit(loop, (tx) => writeWorkspaceState(tx, free(state)));
  return warnings.map((warning) => `${warning} (verification did, before ralph was killed)`);
}

async function isMovedFrom({ workspace }: Verifier, { head, branch }: Baseline): Promise<boolean> {
  const { hash, ref } = await readHead(workspace);
  return hash !== head || ref !== branch;
}

async function removeTrackedChanges(loop: Verifier, kept: readonly string[]): Promise<void> {
  const { tracked } = await status(loop.workspace);
  const known = new Set(kept);
  const paths = tracked.filter((path) => !known.has(path));
  const { hash: startHead } = await readHead(loop.workspace);
  if (paths.length === 0 || startHead === null) return;
  await salvage(loop.workspace, { ref: rollbackRef(startHead), paths, startHead, message });
}
