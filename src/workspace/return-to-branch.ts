import type { Baseline } from "./baseline.ts";
import { gitRead } from "./git/git.ts";
import { moveHead } from "./git/move-head.ts";
import { readHead, resolveCommit } from "./git/read-head.ts";
import type { Workspace } from "./git/workspace.ts";

/**
 * Where HEAD has left the branch of the baseline and its commits follow that branch, moves the branch to them and switches
 * back; files and index stay as they are. Returns the place that HEAD left, null: it is on the branch, or could not return.
 */
export async function returnToBranch(
  ws: Workspace,
  { head, branch }: Pick<Baseline, "head" | "branch">,
): Promise<string | null> {
  const now = await readHead(ws);
  if (now.ref === branch || now.hash === null) return null;
  // A branch that was renamed or deleted is made again.
  const tip = (branch === null ? null : await resolveCommit(ws, branch)) ?? head;
  if (tip === null) return null;
  const follows = ["merge-base", "--is-ancestor", tip, now.hash];
  const { code } = await gitRead(ws, follows, { accept: "any" });
  if (code !== 0) return null;
  const to = { hash: now.hash, ref: branch };
  await moveHead(ws, { from: now, to, reason: "ralph: returned to the run's branch" });
  return branchName(now.ref);
}

/** Returns a branch as people name it. */
export function branchName(ref: string | null): string {
  return ref?.replace("refs/heads/", "") ?? "a detached HEAD";
}
