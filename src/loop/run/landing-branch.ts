import { RalphError } from "../../base/errors.ts";
import { readHead, resolveCommit } from "../../workspace/git/read-head.ts";
import { deleteBranch, isAncestor, makeBranch, treeOfBranch } from "../../workspace/work-trees.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { lastBranch, setBranch } from "../rows/run-store.ts";
import type { Landing } from "../rows/slot.ts";
import { unmergedBranch, workerBranches } from "../rows/unmerged-branch.ts";

/**
 * Returns the full name of the branch on which a run's slots land: `--branch`, or the branch of an earlier run that nobody
 * merged yet, or a new one at HEAD.
 *
 * @throws RalphError `RALPH_GIT_BRANCH` where the branch is checked out
 */
export async function landingBranch(loop: Loop): Promise<string> {
  const { options, workspace } = loop;
  const { hash: head } = await readHead(workspace);
  if (head === null) throw new Error("a workspace without a commit was opened");
  const left = await unmergedBranch(loop);
  const unfinished = left?.continuesHead ? left.branch : await unusedBranch(loop, head);
  const name = options.branch ?? unfinished ?? `${workerBranches}${loop.runId}`;
  // Stored first: after a kill the next run finds the branch.
  await commit(loop, (tx) => setBranch(tx, loop.runId, name));
  const ref = await makeBranch(workspace, name, head);
  const folder = await treeOfBranch(workspace, ref);
  if (folder === null) return ref;
  throw new RalphError("RALPH_GIT_BRANCH", `workers land on ${name}, but it is checked out in ${folder}`, {
    hint: `give them a branch of their own: ralph run --branch NAME, or leave --branch out; to check out another there: git -C ${folder} switch BRANCH`,
  });
}

/** Returns the branch of the last run with workers where it is HEAD's commit, as after a kill before the first landing. */
async function unusedBranch({ db, workspace }: Loop, head: string): Promise<string | null> {
  const name = await lastBranch(db, workerBranches);
  const tip = name === null ? null : await resolveCommit(workspace, `refs/heads/${name}`);
  return tip === head ? name : null;
}

/** Deletes a branch that the run made and on which nothing landed. */
export async function dropUnused(
  { workspace }: Pick<Loop, "workspace">,
  { branch, tip }: Landing,
): Promise<void> {
  const { hash: head } = await readHead(workspace);
  if (!branch.startsWith(`refs/heads/${workerBranches}`) || head === null) return;
  const now = await tip();
  if (await isAncestor(workspace, now, head)) await deleteBranch(workspace, branch, now);
}
