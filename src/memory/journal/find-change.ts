import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { getTask } from "../../tasks/graph/task-store.ts";

/** The change of projects without OpenSpec. */
const defaultChange = "default";
const maxDepth = 20;
const listOfChange = /^openspec\/changes\/([^/]+)\/tasks\.md$/;

/**
 * Returns the change that a task belongs to: the OpenSpec change whose list it, or the task it was split from, was
 * imported from; else the only one of `changes`; else `default`. `task` is null for no task in particular.
 */
export async function findChange(db: Reader, changes: readonly string[], task: Task | null): Promise<string> {
  let current: Task | null | undefined = task;
  for (let depth = 0; current && depth < maxDepth; depth += 1) {
    const change = listOfChange.exec(current.source?.path ?? "")?.[1];
    if (change !== undefined) return change;
    current = current.parentId === null ? null : await getTask(db, current.parentId);
  }
  return changes.length === 1 ? (changes[0] ?? defaultChange) : defaultChange;
}

/** Returns the names of the OpenSpec changes of the project at `root` that are not archived. */
export function openSpecChanges(root: string): readonly string[] {
  try {
    return readdirSync(join(root, "openspec", "changes"), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "archive" && !entry.name.startsWith("."))
      .map(({ name }) => name);
  } catch {
    return [];
  }
}
