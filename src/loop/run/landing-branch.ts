import { RalphError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { branchName, readHead, resolveCommit } from "../../workspace/git/read-head.ts";
import { fetchRefs, pushRefs, type RemoteBranch, remoteError, trackingRef } from "../../workspace/remote.ts";
import {
  commitsBeyond,
  deleteBranch,
  isAncestor,
  makeBranch,
  treeOfBranch,
} from "../../workspace/work-trees.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { lastBranch, setBranch } from "../rows/run-store.ts";
import type { Landing } from "../rows/slot.ts";
import { unmergedBranches, workerBranches } from "../rows/unmerged-branch.ts";

/**
 * Returns the full name of the branch on which a run's slots land: `--branch`, or the branch of an earlier run that nobody
 * merged yet, or a new one at HEAD; with a remote, what follows its branch `--branch`, or the one that HEAD is on.
 *
 * @throws RalphError `RALPH_GIT_BRANCH` where the branch is checked out, `RALPH_GIT_REMOTE` where the remote cannot be used
 */
export async function landingBranch(loop: Loop): Promise<string> {
  const { options, workspace } = loop;
  const { hash: head, ref: current } = await readHead(workspace);
  if (head === null) throw new Error("a workspace without a commit was opened");
  if (options.remote !== null) {
    const branch = options.branch ?? current?.replace("refs/heads/", "");
    if (branch !== undefined) return followedBranch(loop, { remote: options.remote, branch }, head);
    throw new RalphError(
      "RALPH_GIT_BRANCH",
      `HEAD is detached: on which branch of ${options.remote} to land?`,
      {
        hint: "name it: ralph run --branch NAME",
      },
    );
  }
  const left = (await unmergedBranches(loop)).find((one) => one.continuesHead && one.isHere);
  const unfinished = left?.branch ?? (await unusedBranch(loop, head));
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

/** Makes the branch at HEAD where the remote does not have it. */
async function followedBranch(loop: Loop, at: RemoteBranch, head: string): Promise<string> {
  const { workspace } = loop;
  const [ref, own] = [trackingRef(at), `refs/heads/${at.branch}`];
  const fetched = await fetchRefs(workspace, at.remote, [`+${own}:${ref}`]);
  const end = fetched.state === "absent" ? await pushRefs(workspace, at.remote, [`${head}:${own}`]) : fetched;
  if (end.state !== "done") throw remoteError(at, end);
  await commit(loop, (tx) => setBranch(tx, loop.runId, branchName(ref)));
  return ref;
}

/** Warns of commits here that a remote's branch does not have: the run begins without them. */
export async function unpublishedWarnings(
  { workspace }: Pick<Loop, "workspace">,
  { branch, shared }: Landing,
): Promise<readonly string[]> {
  const commits = shared ? await commitsBeyond(workspace, branch, "HEAD") : 0;
  const has = `HEAD has ${count(commits, "commit")} that ${branchName(branch)} does not have`;
  return commits === 0
    ? []
    : [`${has}, and the run begins without ${commits === 1 ? "it" : "them"}: push first`];
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
