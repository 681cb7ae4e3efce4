import type { Task } from "../../graph/task.ts";
import type { ImportedTask } from "../source/imported-task.ts";

interface Order {
  readonly entries: readonly ImportedTask[];
  readonly tasks: readonly Task[];
  readonly matches: ReadonlyMap<ImportedTask, Task>;
}

interface Unmatched {
  readonly left: readonly ImportedTask[];
  readonly free: readonly Task[];
  /** Returns false if the entry must not take over the task's status. */
  readonly fits: (task: Task, entry: ImportedTask) => boolean;
}

/**
 * Matches entries with reworded tasks by their place: between the same matched neighbours, where as many entries as tasks are left.
 */
export function matchRenamed(
  { entries, tasks, matches }: Order,
  { left, free, fits }: Unmatched,
): readonly (readonly [ImportedTask, Task])[] {
  const after = new Map([...matches].map(([entry, task]) => [task, entry] as const));
  const entriesAfter = runs(entries, new Set(left), (entry) => entry);
  const tasksAfter = runs(tasks, new Set(free), (task) => after.get(task));
  return [...entriesAfter].flatMap(([neighbour, some]) => {
    const same = tasksAfter.get(neighbour) ?? [];
    if (same.length !== some.length) return [];
    return some.flatMap((entry, at) => {
      const task = same[at];
      return task && fits(task, entry) ? [[entry, task] as const] : [];
    });
  });
}

/** Groups the unmatched items by the matched entry before them; undefined: none is. */
function runs<T>(
  items: readonly T[],
  unmatched: ReadonlySet<T>,
  entryOf: (item: T) => ImportedTask | undefined,
): ReadonlyMap<ImportedTask | undefined, readonly T[]> {
  const found = new Map<ImportedTask | undefined, T[]>();
  let neighbour: ImportedTask | undefined;
  for (const item of items) {
    if (!unmatched.has(item)) neighbour = entryOf(item) ?? neighbour;
    else if (!found.get(neighbour)?.push(item)) found.set(neighbour, [item]);
  }
  return found;
}
