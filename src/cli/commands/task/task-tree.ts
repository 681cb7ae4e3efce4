import type { TaskLine } from "../../../tasks/graph/task.ts";

/** A line of the tree: the task, its depth and the branch drawn before it. */
export interface TreeLine {
  readonly task: TaskLine;
  readonly depth: number;
  /** For example `│  ├─ `; "" at the top level. */
  readonly branch: string;
}

/** Maximum drawn indentation, so that a chain of thousands stays readable. */
const drawnDepth = 24;

interface Waiting {
  readonly task: TaskLine;
  readonly depth: number;
  /** The part of the branch that continues the parent's. */
  readonly indent: string;
  readonly last: boolean;
}

/**
 * Returns the tasks as a tree, parents before children, siblings in the given order. Each task occurs exactly once: a task
 * with an unknown parent is at the top level, and so is the first task of a cycle of parents.
 */
export function taskTree(tasks: readonly TaskLine[]): readonly TreeLine[] {
  const children = byParent(tasks);
  const ids = new Set(tasks.map(({ id }) => id));
  const seen = new Set<string>();
  const lines: TreeLine[] = [];
  const isTop = ({ parentId }: TaskLine): boolean => parentId === null || !ids.has(parentId);
  for (const top of [...tasks.filter(isTop), ...tasks]) {
    const stack: Waiting[] = [{ task: top, depth: 0, indent: "", last: true }];
    for (let next = stack.pop(); next; next = stack.pop()) {
      if (seen.has(next.task.id)) continue;
      seen.add(next.task.id);
      lines.push(lineOf(next));
      const below = (children.get(next.task.id) ?? []).filter(({ id }) => !seen.has(id));
      for (const child of childrenOf(next, below).reverse()) stack.push(child);
    }
  }
  return lines;
}

function byParent(tasks: readonly TaskLine[]): ReadonlyMap<string, readonly TaskLine[]> {
  const children = new Map<string, TaskLine[]>();
  for (const task of tasks) {
    if (task.parentId === null) continue;
    const siblings = children.get(task.parentId);
    if (siblings) siblings.push(task);
    else children.set(task.parentId, [task]);
  }
  return children;
}

function lineOf({ task, depth, indent, last }: Waiting): TreeLine {
  return { task, depth, branch: depth === 0 ? "" : `${indent}${last ? "└─ " : "├─ "}` };
}

function childrenOf(parent: Waiting, below: readonly TaskLine[]): Waiting[] {
  const deeper = parent.depth > 0 && parent.depth < drawnDepth;
  const indent = deeper ? `${parent.indent}${parent.last ? "   " : "│  "}` : parent.indent;
  return below.map((task, at) => ({ task, depth: parent.depth + 1, indent, last: at === below.length - 1 }));
}
