import { join, relative } from "node:path";
import type { ListText } from "../../tasks/graph/task.ts";
import { readLists, revertTicks } from "../../tasks/write-back.ts";
import { removeFolder } from "../../workspace/clean-tree.ts";
import { dropStatusAhead, prefetchStatus } from "../../workspace/git/status.ts";
import { type NotedTree, noteTree, restoreTree } from "../../workspace/restore-tree.ts";
import type { Loop } from "../rows/loop.ts";
import { takeOutEdits } from "../tree/take-out-edits.ts";
import type { Iteration } from "./begin-iteration.ts";
import { holdLease } from "./lease.ts";
import { type Preflight, preflightAll, verifyCommandsFor } from "./verify-commands.ts";

/** An iteration whose task is this run's, and the state before its agent of what that may not rewrite (LOOP-18). */
export interface Held {
  /** The verification commands that could not be executed even then. */
  readonly preflight: Preflight;
  /** Aborted when the claim is no longer this run's. */
  readonly leaseLost: AbortSignal;
  /** A warning for each thing that was put back. */
  readonly restored: readonly string[];
  /**
   * Puts back what an agent, or the code that it wrote, may not rewrite, and takes a person's files out of its commits. Returns a
   * warning for each. With `statusNext` git reads the tree's status meanwhile, for a `statusAhead` that follows.
   */
  restore(options?: { readonly statusNext?: boolean }): Promise<readonly string[]>;
  /** Ends the lease; the iteration's temporary files are removed beside a later agent, or when the run ends. */
  release(): void;
}

interface Noted {
  readonly tree: NotedTree;
  /** The imported task lists. */
  readonly lists: readonly ListText[];
}

/** Takes the lease and notes what the agent may not rewrite. The caller releases it when the iteration ends. */
export async function holdIteration(loop: Loop, iteration: Iteration): Promise<Held> {
  const lease = holdLease(loop, iteration);
  const release = (): void => {
    lease.stop();
    const { tmpDir } = iteration;
    loop.background.postpone(tmpDir, () => removeFolder(loop.workspace, tmpDir));
  };
  try {
    const preflight = await preflightAll(loop, verifyCommandsFor(loop, iteration));
    const tree = await noteTree(loop.workspace, { viewProtects: protectsGit(loop) });
    const lists = await readLists(loop.db, loop.root);
    const restored: string[] = [];
    return {
      ...{ preflight, leaseLost: lease.leaseLost, restored },
      restore: async ({ statusNext = false } = {}) => {
        const found = await restoreAll(loop, iteration, { noted: { tree, lists }, statusNext });
        for (const one of found) restored.push(one);
        return found;
      },
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Returns true where programs get a view that keeps them from ralph's configuration and git's hooks. */
function protectsGit({ sandbox }: Pick<Loop, "sandbox">): boolean {
  return sandbox !== null && sandbox.hooks() !== null;
}

async function restoreAll(
  loop: Loop,
  { state: { baseline } }: Pick<Iteration, "state">,
  { noted, statusNext }: { readonly noted: Noted; readonly statusNext: boolean },
): Promise<readonly string[]> {
  const stored = await writeBack(loop);
  const keepIn = join(loop.folder, "put-aside", loop.runId);
  const tree = await restoreTree(loop.workspace, noted.tree, keepIn);
  if (statusNext) prefetchStatus(loop.workspace);
  else dropStatusAhead(loop.workspace);
  const ticks = await revertTicks(loop.db, { projectRoot: loop.root, keepIn }, noted.lists);
  const takenOut = await takeOutEdits(loop, baseline);
  if (ticks.length + takenOut.length > 0) dropStatusAhead(loop.workspace);
  return [...stored, ...tree, ...ticks, ...takenOut];
}

/** Writes the store from the open connection where its file was removed or replaced, as by `git clean -fdx`. Returns warnings. */
async function writeBack({ db, root }: Loop): Promise<readonly string[]> {
  if (!(await db.rescueFile())) return [];
  return [`wrote ${relative(root, db.location)} back: it was removed or replaced while ralph had it open`];
}
