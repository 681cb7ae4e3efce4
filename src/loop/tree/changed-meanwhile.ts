import { RalphError } from "../../base/errors.ts";
import { count, nameSome } from "../../base/text.ts";
import { type Baseline, protectedPaths, takeBaseline } from "../../workspace/baseline.ts";
import { changedSince } from "../../workspace/git/fingerprint.ts";
import { branchName, readHead } from "../../workspace/git/read-head.ts";
import { status } from "../../workspace/git/status.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { commitsBeyond, isAncestor } from "../../workspace/work-trees.ts";
import { ignoreLines } from "./byproducts.ts";

/** Changes of the project while its verification ran without any agent: a person's, or the verification's. */
interface ChangedMeanwhile<T> {
  readonly result: T;
  /** The tracked files with uncommitted changes that were not there before. */
  readonly tracked: readonly string[];
  /** The untracked files that are new or changed. */
  readonly untracked: readonly string[];
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
  const before = await takeBaseline(workspace, { mayBeDirty: "all" });
  const result = await verify();
  const now = await status(workspace);
  const { hash, ref } = await readHead(workspace);
  const gained = await gainedCommits(workspace, before, { head: hash, branch: ref });
  const known = new Set(protectedPaths(before));
  const edited = await changedSince(workspace.root, [...before.dirty, ...before.untracked]);
  const tracked = now.tracked.filter((path) => !known.has(path));
  const added = now.untracked.filter((path) => !known.has(path));
  const paths = [...new Set([...tracked, ...edited, ...added])];
  const what = [
    ...(gained > 0 ? [count(gained, "new commit")] : []),
    ...(paths.length > 0 ? [nameSome(paths)] : []),
  ];
  const untracked = [...added, ...edited.filter((path) => now.untracked.includes(path))];
  const ignore =
    untracked.length === 0 ? "" : ` (to ignore it, add to .gitignore: ${ignoreLines(untracked)})`;
  const warnings =
    what.length === 0
      ? []
      : [`changed during the verification, and stays as it is: ${what.join("; ")}${ignore}`];
  return { result, tracked, untracked, warnings };
}

type At = Pick<Baseline, "branch" | "head">;

/** Returns the number of new commits of HEAD. */
async function gainedCommits(workspace: Workspace, before: At, now: At): Promise<number> {
  if (before.head === now.head && before.branch === now.branch) return 0;
  const isOn = before.branch === now.branch && before.head !== null && now.head !== null;
  if (isOn && (await isAncestor(workspace, before.head, now.head)))
    return commitsBeyond(workspace, before.head, now.head);
  const at = ({ branch, head }: At): string =>
    `${branchName(branch)} at ${head?.slice(0, 12) ?? "no commit"}`;
  throw new RalphError(
    "RALPH_GIT_BRANCH",
    `HEAD moved from ${at(before)} to ${at(now)} during the verification before the first attempt`,
    { hint: "switch to the branch that ralph is to work on, then: ralph run" },
  );
}
