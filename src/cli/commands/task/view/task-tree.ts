import type { TaskLine } from "../../../../tasks/task.ts";

/** A line of the tree: the task, how deep it stands, and what is drawn before it. */
export interface TreeLine {
  readonly task: TaskLine;
  readonly depth: number;
  /** `│  ├─ ` and the like; "" at the top. */
  readonly branch: string;
}

/** Deeper levels are drawn at this depth, so that a chain of thousands stays readable. */
const drawnDepth = 24;

interface Waiting {
  readonly task: TaskLine;
  readonly depth: number;
  /** What is drawn before the parent's own branch ends. */
  readonly indent: string;
  readonly last: boolean;
}

/**
 * The tasks as a tree, parents before children, siblings in the order given. Each task stands there exactly once,
 * whatever the parents say: one whose parent is not among them stands at the top, and of a ring the first one does.
 */
export function taskTree(tasks: readonly TaskLine[]): readonly TreeLine[] {
  const children = new Map<string, TaskLine[]>();
  for (const task of tasks) {
    if (task.parentId === null) continue;
    const siblings = children.get(task.parentId);
    if (siblings) siblings.push(task);
    else children.set(task.parentId, [task]);
  }
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
      stack.push(...childrenOf(next, below).reverse());
    }
  }
  return lines;
}

function lineOf({ task, depth, indent, last }: Waiting): TreeLine {
  return { task, depth, branch: depth === 0 ? "" : `${indent}${last ? "└─ " : "├─ "}` };
}

function childrenOf(parent: Waiting, below: readonly TaskLine[]): Waiting[] {
  const deeper = parent.depth > 0 && parent.depth < drawnDepth;
  const indent = deeper ? `${parent.indent}${parent.last ? "   " : "│  "}` : parent.indent;
  return below.map((task, at) => ({ task, depth: parent.depth + 1, indent, last: at === below.length - 1 }));
}
