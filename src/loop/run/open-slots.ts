import { join } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import { RalphError } from "../../base/errors.ts";
import { firstErrorLine } from "../../outcome/error-line.ts";
import { resolveCommit } from "../../workspace/git/read-head.ts";
import { remoteBranchOf } from "../../workspace/remote.ts";
import { addWorkTree, copyIncluded, removeWorkTree, swapBranch } from "../../workspace/work-trees.ts";
import { remoteLanding } from "../land/remote-landing.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { pendingCommits } from "../rows/pending-commit-store.ts";
import type { Landing, Tree } from "../rows/slot.ts";
import { deleteSlot, insertSlot } from "../rows/slot-store.ts";
import { runInTree } from "../rows/verify-project.ts";
import { oneAtATime } from "../rows/work-queue.ts";
import { deleteWorkspaceState } from "../rows/workspace-state-store.ts";
import { openByproducts } from "../tree/byproducts.ts";
import { openCleanVerification } from "../tree/clean-verification.ts";
import { clearTree } from "../tree/salvage-work.ts";
import { openAtTip } from "../tree/work-tree.ts";
import { type RunStop, stopWith } from "./stop-rules.ts";

/** Opens the work tree in `folder` as a slot whose work lands on the branch of `landing`. */
export async function openSlot(loop: Loop, landing: Landing, slot: string): Promise<Loop> {
  const place = await loop.trees.open(treeFolder(loop, slot), slot);
  const env = { ...loop.env, RALPH_WORKER: slot };
  const cleanFolder = `${loop.cleanFolder}-${slot}`;
  const own = { ...loop, ...place, env, cleanFolder, landing, byproducts: openByproducts(place) };
  const tree: Tree = {
    open: async (task, at) => openAtTip(own, task, at ?? (await landing.tip())),
  };
  return { ...own, tree, clean: openCleanVerification(own) };
}

/** Returns the folder of a slot's work tree. */
export function treeFolder({ trees }: Pick<Loop, "trees">, slot: string): string {
  return join(trees.folder, slot);
}

/** Lands on a branch, by its full name: of this clone, which no tree has checked out, or of a remote. */
export function landingOn(loop: Pick<Loop, "stop" | "workspace">, branch: string): Landing {
  const { workspace } = loop;
  const at = remoteBranchOf(branch);
  if (at) return remoteLanding(loop, at);
  return {
    branch,
    shared: null,
    alone: oneAtATime(),
    tip: async () => {
      const tip = await resolveCommit(workspace, branch);
      if (tip !== null) return tip;
      const name = branch.replace("refs/heads/", "");
      throw new RalphError("RALPH_GIT_BRANCH", `the branch ${name}, on which work lands, is gone`, {
        hint: `make it again: git branch ${name} (git reflog shows where it was), then: ralph run`,
      });
    },
    swap: (to, from) => swapBranch(workspace, branch, { from, to, reason: "ralph: work landed" }),
  };
}

/** Makes a work tree for each slot at the tip of the run's branch, and copies what `.worktreeinclude` names into it. */
export async function openSlots(loop: Loop, landing: Landing, count: number): Promise<readonly Loop[]> {
  const tip = await landing.tip();
  const slots: Loop[] = [];
  for (let n = 0; n < count; n += 1) {
    const slot = String(n);
    const folder = treeFolder(loop, slot);
    await commit(loop, (tx) => insertSlot(tx, { slot, branch: landing.branch }));
    await addWorkTree(loop.workspace, folder, tip);
    await copyIncluded(loop.workspace, folder);
    const opened = await openSlot(loop, landing, slot);
    // Where ralph is typed in the tree, it finds the tree as the project of the run.
    makeFolders(join(opened.root, ".ralph"));
    slots.push(opened);
  }
  return slots;
}

/** Runs the set-up commands in each tree. Returns the end of a run in which one fails. */
export async function setUpSlots(slots: readonly Loop[]): Promise<RunStop | null> {
  const ends = await Promise.all(slots.map(setUp));
  return ends.find((end) => end !== null) ?? null;
}

async function setUp(slot: Loop): Promise<RunStop | null> {
  const marker = `${slot.runId}-${slot.workspace.slot}`;
  const limits = { marker, signal: slot.stop, remainingMs: null };
  const results = await runInTree(slot, slot.options.verifySetup, limits);
  const failed = results.find(({ passed }) => !passed);
  if (!failed) return null;
  const line = firstErrorLine(failed.excerpt) ?? failed.reason;
  const message = `the set-up of a worker's tree failed: ${failed.command}: ${failed.reason}: ${line}`;
  const hint = "change `verifySetup` in .ralph/config.yaml so that it works in a fresh clone";
  return stopWith("cannot-verify", message, hint);
}

/** Saves what unfinished tasks left in the slots' trees for their retry, and removes the trees. One with work to land waits for the next run. */
export async function closeSlots(loop: Loop, slots: readonly Loop[]): Promise<void> {
  for (const slot of slots) {
    const name = slot.workspace.slot;
    await slot.clean?.remove().catch(() => undefined);
    if ((await pendingCommits(loop.db, name)).length > 0) continue;
    await clearTree(slot);
    await removeWorkTree(loop.workspace, treeFolder(loop, name));
    await forgetSlot(loop, name);
  }
}

/** Forgets a slot whose tree is gone. */
export async function forgetSlot(loop: Loop, slot: string): Promise<void> {
  await commit(loop, async (tx) => {
    await deleteWorkspaceState(tx, { slot });
    await deleteSlot(tx, slot);
  });
}
