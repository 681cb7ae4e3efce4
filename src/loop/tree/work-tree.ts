import type { Task } from "../../tasks/graph/task.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { moveWorkTree } from "../../workspace/work-trees.ts";
import type { TaskTree } from "../rows/slot.ts";
import { isOwnedBy } from "../rows/workspace-state.ts";
import { clearTree, type Switcher } from "./salvage-work.ts";
import { switchTreeToTask } from "./switch-tree-to-task.ts";

/**
 * Opens the work tree of a slot, in which no person works: a task begins at the tip of the run's branch. Work that an earlier
 * attempt left at an older commit is merged with it.
 */
export async function openAtTip(loop: Switcher, task: Task, tip: string): Promise<TaskTree> {
  const kept = await clearTree(loop, { keep: task });
  const isOld = isOwnedBy(kept, task.id) && kept.baseline.head !== tip;
  const state = isOld ? await clearTree(loop, { landing: true }) : kept;
  if (state.kind === "free" && (await readHead(loop.workspace)).hash !== tip)
    await moveWorkTree(loop.workspace, tip);
  return switchTreeToTask(loop, task);
}
