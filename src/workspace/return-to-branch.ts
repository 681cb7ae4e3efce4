import type { Baseline } from "./baseline.ts";
import { gitLines } from "./git/git.ts";
import { moveHead } from "./git/move-head.ts";
import { branchName, readHead, tipOf } from "./git/read-head.ts";
import type { Workspace } from "./git/workspace.ts";
import { isAncestor } from "./work-trees.ts";

/**
 * Where HEAD has left the branch of the baseline and its commits follow that branch, moves the branch to them and switches
 * back; files and index stay as they are. Commits from before `since` are another branch's own history, and never become the
 * run's. Returns the place that HEAD left, null: it is on the branch, or could not return.
 */
export async function returnToBranch(
  ws: Workspace,
  { head, branch }: Pick<Baseline, "head" | "branch">,
  since: Date,
): Promise<string | null> {
  const now = await readHead(ws);
  if (now.ref === branch || now.hash === null) return null;
  // A branch that was renamed or deleted is made again.
  const tip = await tipOf(ws, { hash: head, ref: branch });
  if (tip === null) return null;
  if (!(await isAncestor(ws, tip, now.hash))) return null;
  // Git's times have whole seconds.
  const before = `--before=${Math.floor(since.getTime() / 1000) - 1}`;
  const older = await gitLines(ws, ["rev-list", "--max-count=1", before, `${tip}..${now.hash}`]);
  if (older.length > 0) return null;
  const to = { hash: now.hash, ref: branch };
  await moveHead(ws, { from: now, to, reason: "ralph: returned to the run's branch" });
  return branchName(now.ref);
}
