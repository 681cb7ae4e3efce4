import { lookAt } from "../../base/careful-files.ts";
import { removeStaleTemporaries } from "../../base/temporary-files.ts";
import { listClaims, releaseClaim } from "../../tasks/graph/claim-store.ts";
import { removeStaleLocks } from "../../workspace/git/stale-lock.ts";
import { removeWorkTree } from "../../workspace/work-trees.ts";
import { landPending } from "../land/land.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { finishPendingCommit, pendingCommits } from "../rows/pending-commit-store.ts";
import { slotsLeft } from "../rows/slot-store.ts";
import { finishRollback } from "../tree/rollback.ts";
import { clearTree } from "../tree/salvage-work.ts";
import { forgetSlot, landingOn, openSlot, treeFolder } from "./open-slots.ts";

/**
 * Recovers the slots of a killed run: lands what was verified, saves what was not for the tasks' retry in any slot, and
 * removes their trees. Returns how many commits landed.
 */
export async function recoverSlots(loop: Loop, since: Date | null): Promise<number> {
  let landed = 0;
  for (const { slot, branch } of await slotsLeft(loop.db)) {
    const folder = treeFolder(loop, slot);
    if (!lookAt(folder)) {
      await giveUp(loop, slot);
    } else {
      const own = await openSlot(loop, landingOn(loop, branch), slot);
      if (since) await removeStaleLocks(own.workspace, since);
      removeStaleTemporaries(own.workspace.gitDir);
      await finishRollback(own);
      landed += await landPending(own, undefined);
      await clearTree(own);
    }
    await removeWorkTree(loop.workspace, folder);
    await forgetSlot(loop, slot);
  }
  return landed;
}

/** The tree is gone, and with it what was not committed: its tasks return to the list. */
async function giveUp(loop: Loop, slot: string): Promise<void> {
  const claims = await listClaims(loop.db);
  for (const owed of await pendingCommits(loop.db, slot)) {
    await commit(loop, async (tx) => {
      const now = loop.clock.now();
      await finishPendingCommit(tx, owed, null, now);
      const claim = claims.find(({ taskId }) => taskId === owed.taskId);
      if (claim) await releaseClaim(tx, claim, now);
    });
  }
}
