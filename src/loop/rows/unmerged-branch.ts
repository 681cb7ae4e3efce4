import { count } from "../../base/text.ts";
import type { Reader } from "../../store/port/db.ts";
import { readHead, resolveCommit } from "../../workspace/git/read-head.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { addsNothing, commitsBeyond, isAncestor } from "../../workspace/work-trees.ts";
import { landedBranches } from "./run-store.ts";

/** Branches that ralph makes for runs with workers. */
export const workerBranches = "ralph/";

/** A branch on which work landed, with commits that HEAD does not have. */
export interface UnmergedBranch {
  readonly branch: string;
  readonly commits: number;
  /** False: it is a remote's. */
  readonly isHere: boolean;
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

/** Returns the branches on which runs of this working copy landed and whose commits HEAD does not have, the newest first. */
export async function unmergedBranches({ db, workspace }: Place): Promise<readonly UnmergedBranch[]> {
  const { hash: head } = await readHead(workspace);
  if (head === null) return [];
  const found: UnmergedBranch[] = [];
  const tips: string[] = [];
  for (const branch of await landedBranches(db)) {
    const here = await resolveCommit(workspace, `refs/heads/${branch}`);
    const tip = here ?? (await resolveCommit(workspace, `refs/remotes/${branch}`));
    if (tip === null || (await isTaken(workspace, tip, [head, ...tips]))) continue;
    tips.push(tip);
    const commits = await commitsBeyond(workspace, head, tip);
    const continuesHead = await isAncestor(workspace, head, tip);
    const take = `git merge ${continuesHead ? "--ff-only " : ""}${branch}`;
    const message = `${branch} has ${count(commits, "commit")} that HEAD does not have; to take them: ${take}`;
    found.push({ branch, commits, isHere: here !== null, continuesHead, take, message });
  }
  return found;
}

/** Returns true where the work is in one of the commits: by its own commits, or as one that somebody squashed. */
async function isTaken(workspace: Workspace, tip: string, by: readonly string[]): Promise<boolean> {
  for (const commit of by)
    if ((await isAncestor(workspace, tip, commit)) || (await addsNothing(workspace, tip, commit)))
      return true;
  return false;
}
