import { RalphError } from "../../base/errors.ts";
import { count, nameSome } from "../../base/text.ts";
import { type Baseline, protectedPaths, takeBaseline } from "../../workspace/baseline.ts";
import { changedSince } from "../../workspace/git/fingerprint.ts";
import { gitRead } from "../../workspace/git/git.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { branchName } from "../../workspace/return-to-branch.ts";

/** Changes of the project while its verification ran without any agent: a person's, or the verification's. */
interface ChangedMeanwhile<T> {
  readonly result: T;
  /** The tracked files with uncommitted changes that were not there before. */
  readonly tracked: readonly string[];
  /** Names all of it in one sentence; empty: nothing changed. */
  readonly warnings: readonly string[];
}

/**
 * Runs the verification of the baseline, and puts nothing back: ralph cannot tell what the commands wrote from what a person did.
 *
 * @throws RalphError `RALPH_GIT_BRANCH` when HEAD is elsewhere by then, unless it only gained commits.
 */
export async function changedMeanwhile<T>(
  workspace: Workspace,
  verify: () => Promise<T>,
): Promise<ChangedMeanwhile<T>> {
  const before = await takeBaseline(workspace, { allowDirty: true });
  const result = await verify();
  const now = await takeBaseline(workspace, { allowDirty: true });
  const gained = await gainedCommits(workspace, before, now);
  const known = new Set(protectedPaths(before));
  const edited = await changedSince(workspace.root, [...before.dirty, ...before.untracked]);
  const tracked = now.dirty.map(({ path }) => path).filter((path) => !known.has(path));
  const added = now.untracked.map(({ path }) => path).filter((path) => !known.has(path));
  const paths = [...new Set([...tracked, ...edited, ...added])];
  const what = [
    ...(gained > 0 ? [count(gained, "new commit")] : []),
    ...(paths.length > 0 ? [nameSome(paths)] : []),
  ];
  const warnings =
    what.length === 0 ? [] : [`changed during the verification, and stays as it is: ${what.join("; ")}`];
  return { result, tracked, warnings };
}

/** Returns the number of new commits of HEAD. */
async function gainedCommits(workspace: Workspace, before: Baseline, now: Baseline): Promise<number> {
  if (before.head === now.head && before.branch === now.branch) return 0;
  const range = before.head === null ? `${now.head}` : `${before.head}...${now.head}`;
  const { stdout } = await gitRead(workspace, ["rev-list", "--count", "--left-right", range]);
  const [lost, gained] = stdout.trim().split("\t").map(Number);
  if (before.branch === now.branch && (lost === 0 || before.head === null)) return gained ?? 0;
  const at = ({ branch, head }: Baseline): string => `${branchName(branch)} at ${head?.slice(0, 12)}`;
  throw new RalphError(
    "RALPH_GIT_BRANCH",
    `HEAD moved from ${at(before)} to ${at(now)} during the verification before the first attempt`,
    { hint: "switch to the branch that ralph is to work on, then: ralph run" },
  );
}
