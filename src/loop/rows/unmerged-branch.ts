import { count } from "../../base/text.ts";
import type { Reader } from "../../store/port/db.ts";
import { readHead, resolveCommit } from "../../workspace/git/read-head.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { commitsBeyond, isAncestor } from "../../workspace/work-trees.ts";
import { lastBranch } from "./run-store.ts";

/** Branches that ralph makes for runs with workers. */
export const workerBranches = "ralph/";

/** A branch on which work landed, with commits that HEAD does not have. */
export interface UnmergedBranch {
  readonly branch: string;
  readonly commits: number;
  /** True: `git merge --ff-only` takes it. */
  readonly continuesHead: boolean;
  /** The command that takes the commits. */
  readonly take: string;
  /** One sentence for people. */
  readonly message: string;
}

interface Place {
  readonly db: Reader;
  readonly workspace: Workspace;
}

/** Returns the branch of the last run with workers, unless HEAD has its commits. */
export async function unmergedBranch(at: Place): Promise<UnmergedBranch | null> {
  return beyondHead(at, await lastBranch(at.db, workerBranches), "refs/heads/");
}

/** Returns that branch, or the remote's branch on which the last run landed, unless HEAD has its commits. */
export async function unmergedWork(at: Place): Promise<UnmergedBranch | null> {
  return (await unmergedBranch(at)) ?? beyondHead(at, await lastBranch(at.db, ""), "refs/remotes/");
}

async function beyondHead(
  { workspace }: Place,
  branch: string | null,
  kind: string,
): Promise<UnmergedBranch | null> {
  const tip = branch === null ? null : await resolveCommit(workspace, `${kind}${branch}`);
  const { hash: head } = await readHead(workspace);
  if (branch === null || tip === null || head === null || (await isAncestor(workspace, tip, head)))
    return null;
  const commits = await commitsBeyond(workspace, head, tip);
  const continuesHead = await isAncestor(workspace, head, tip);
  const take = `git merge ${continuesHead ? "--ff-only " : ""}${branch}`;
  const message = `${branch} has ${count(commits, "commit")} that HEAD does not have; to take them: ${take}`;
  return { branch, commits, continuesHead, take, message };
}
