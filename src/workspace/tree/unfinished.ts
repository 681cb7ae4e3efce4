import { relative } from "node:path";
import { endOperations, operationInProgress } from "../git/end-operations.ts";
import { moveHead } from "../git/move-head.ts";
import { branchName, type Head, readHead, tipOf } from "../git/read-head.ts";
import { removeStaleLocks } from "../git/stale-lock.ts";
import type { Workspace } from "../git/workspace.ts";

/** Where git was before an agent ran. */
export interface Unfinished {
  readonly head: Head;
  readonly operation: string | undefined;
  /** Locks from before it are not the agent's. */
  readonly since: Date;
}

/** Milliseconds. A new file's time can be older by a tick of the kernel's clock. */
const tickMs = 20;

/** Usually starts no process. */
export async function noteUnfinished(ws: Workspace): Promise<Unfinished> {
  const since = new Date(Date.now() - tickMs);
  return { head: await readHead(ws), operation: await operationInProgress(ws), since };
}

/**
 * Removes the locks of a git that was killed, ends an operation of several steps, such as a rebase, and puts back a HEAD that
 * names no commit. A merge, cherry-pick or revert of one commit stays, because a commit ends it. Returns a sentence for each.
 */
export async function endUnfinished(ws: Workspace, before: Unfinished): Promise<readonly string[]> {
  const locks = await removeStaleLocks(ws, before.since);
  const operation = await operationInProgress(ws, { stepwise: true });
  const isBegun = operation !== undefined && operation !== before.operation;
  if (isBegun) await endOperations(ws);
  return [
    ...locks.map((path) => `removed .git/${relative(ws.commonDir, path)}: no git holds this lock`),
    ...(isBegun ? [`ended the git ${operation} that the agent left unfinished`] : []),
    ...(await restoreLostHead(ws, before.head)),
  ];
}

/** `git checkout --orphan` leaves such a HEAD, and the deletion of its branch: git would begin another history. */
async function restoreLostHead(ws: Workspace, { hash, ref }: Head): Promise<readonly string[]> {
  const now = await readHead(ws);
  if (now.hash !== null || hash === null) return [];
  const tip = (await tipOf(ws, { hash, ref })) ?? hash;
  await moveHead(ws, { from: now, to: { hash: tip, ref }, reason: "ralph: put back" });
  return [`put back HEAD to ${branchName(ref)} at ${tip.slice(0, 12)}: it named no commit`];
}
