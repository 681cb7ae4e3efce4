import type { Run } from "../rows/loop.ts";
import type { Slot, Tree } from "../rows/slot.ts";
import { guardTree } from "./guard-tree.ts";
import { inspectWork } from "./inspect-work.ts";
import { switchTreeToTask } from "./switch-tree-to-task.ts";

/** Opens the project's own tree, in which a person works too. */
export function treeInPlace(loop: Run & Omit<Slot, "clean" | "cleanFolder" | "tree">): Tree {
  return {
    open: (task) => switchTreeToTask(loop, task),
    guard: (baseline) => guardTree(loop, baseline),
    inspect: (state, restored) => inspectWork(loop, state, restored),
  };
}
