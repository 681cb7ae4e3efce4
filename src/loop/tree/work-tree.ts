import type { Task } from "../../tasks/graph/task.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { moveWorkTree } from "../../workspace/work-trees.ts";
import type { Loop } from "../rows/loop.ts";
import type { Landing, TaskTree, Tree } from "../rows/slot.ts";
import { isOwnedBy } from "../rows/workspace-state.ts";
import { clearTree } from "./salvage-work.ts";
import { switchTreeToTask } from "./switch-tree-to-task.ts";
import { treeInPlace } from "./tree-in-place.ts";

/** Opens the work tree of a slot, in which no person works: a task begins at the tip of the run's branch. */
export function workTree(loop: Omit<Loop, "clean" | "tree">, landing: Landing): Tree {
  return {
    ...treeInPlace(loop),
    open: async (task, tip) => openAtTip(loop, task, tip ?? (await landing.tip())),
  };
}

/** Work that an earlier attempt left at an older commit is merged with the tip. */
async function openAtTip(loop: Omit<Loop, "clean" | "tree">, task: Task, tip: string): Promise<TaskTree> {
  const kept = await clearTree(loop, { keep: task });
  const isOld = isOwnedBy(kept, task.id) && kept.baseline.head !== tip;
  const state = isOld ? await clearTree(loop, { landing: true }) : kept;
  if (state.kind === "free" && (await readHead(loop.workspace)).hash !== tip)
    await moveWorkTree(loop.workspace, tip);
  return switchTreeToTask(loop, task);
}
