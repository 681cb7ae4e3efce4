import { join, relative } from "node:path";
import type { ListText } from "../../tasks/graph/task.ts";
import { readLists, revertTicks } from "../../tasks/write-back.ts";
import type { Baseline } from "../../workspace/baseline.ts";
import { branchName } from "../../workspace/git/read-head.ts";
import { dropStatusAhead, head, prefetchStatus } from "../../workspace/git/status.ts";
import { type NotedTree, noteTree, restoreTree } from "../../workspace/restore-tree.ts";
import { returnToBranch } from "../../workspace/return-to-branch.ts";
import type { Loop } from "../rows/loop.ts";
import type { TreeGuard } from "../rows/slot.ts";
import { takeOutEdits } from "./take-out-edits.ts";

type Guarded = Pick<
  Loop,
  "byproducts" | "db" | "folder" | "projectRoot" | "root" | "runId" | "sandbox" | "workspace"
>;

interface Noted {
  readonly baseline: Baseline;
  readonly tree: NotedTree;
  /** The imported task lists. */
  readonly lists: readonly ListText[];
  /** HEAD when a person's files were last taken out of its commits. */
  head: string | null;
}

/** Notes what the agent that starts next may not rewrite. */
export async function guardTree(loop: Guarded, baseline: Baseline): Promise<TreeGuard> {
  const tree = await noteTree(loop.workspace, { viewProtects: protectsGit(loop) });
  const noted = { baseline, tree, lists: await readLists(loop.db, loop.root), head: baseline.head };
  const restored: string[] = [];
  return {
    restored,
    restore: async ({ statusNext = false } = {}) => {
      const found = await restoreAll(loop, noted, statusNext);
      for (const one of found) restored.push(one);
      return found;
    },
  };
}

/** Returns true where programs get a view that keeps them from ralph's configuration and git's hooks. */
function protectsGit({ sandbox }: Pick<Loop, "sandbox">): boolean {
  return sandbox !== null && sandbox.hooks() !== null;
}

async function restoreAll(loop: Guarded, noted: Noted, statusNext: boolean): Promise<readonly string[]> {
  const stored = await writeBack(loop);
  const keepIn = join(loop.folder, "replaced", loop.runId);
  const tree = await restoreTree(loop.workspace, noted.tree, keepIn);
  if (statusNext) prefetchStatus(loop.workspace);
  else dropStatusAhead(loop.workspace);
  const ticks = await revertTicks(loop.db, { projectRoot: loop.root, keepIn }, noted.lists);
  const returned = await returnedTo(loop, noted);
  const takenOut =
    (await head(loop.workspace)) === noted.head ? [] : await takeOutEdits(loop, noted.baseline);
  noted.head = await head(loop.workspace);
  if (ticks.length > 0) dropStatusAhead(loop.workspace);
  return [...stored, ...tree, ...ticks, ...returned, ...takenOut];
}

/** The run's branch stays the run's (LOOP-25). */
async function returnedTo({ workspace }: Guarded, { baseline, tree }: Noted): Promise<readonly string[]> {
  const left = await returnToBranch(workspace, baseline, tree.unfinished.since);
  if (left === null) return [];
  const branch = branchName(baseline.branch);
  return [`the agent switched to ${left}: ralph brought its work to ${branch} and switched back`];
}

/** Writes the store from the open connection where its file was removed or replaced, as by `git clean -fdx`. Returns warnings. */
async function writeBack({ db, projectRoot }: Guarded): Promise<readonly string[]> {
  if (!(await db.file?.rescue())) return [];
  return [
    `wrote ${relative(projectRoot, db.location)} back: it was removed or replaced while ralph had it open`,
  ];
}
