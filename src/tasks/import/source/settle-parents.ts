import type { ImportedFile, ImportedTask } from "./imported-task.ts";

/** A task with the keys of the tasks that its file calls its parents, the one that counts first. */
export interface WithParents extends ImportedTask {
  readonly parents: readonly string[];
}

/**
 * Returns the tasks with their parents, parents first. A parent is the first one that the file contains, unless it is below the
 * task. A finished task with open children stays open. None waits for a task above it, which waits for it.
 */
export function settleParents(path: string, all: readonly WithParents[]): ImportedFile {
  const warnings: string[] = [];
  const { parentOf, ordered } = parentsFirst(all, (child, parent) =>
    warnings.push(
      `${path}:${child.line}: ignored parent ${parent.key} of ${child.key}: it is a descendant of ${child.key}`,
    ),
  );
  const open = new Set<WithParents>();
  for (const task of [...ordered].reverse()) {
    const parent = parentOf.get(task);
    if (parent && (task.state !== "done" || open.has(task))) open.add(parent);
  }
  const tasks = [...ordered].map((task): ImportedTask => {
    const { parents: _, ...stated } = task;
    const isEarly = task.state === "done" && open.has(task);
    if (isEarly)
      warnings.push(
        `${path}:${task.line}: ${task.key} is closed but has open children; it stays open until they are closed`,
      );
    const blockers = new Set(task.dependsOnIfKnown);
    for (let at = parentOf.get(task); at; at = parentOf.get(at)) blockers.delete(at.key);
    return {
      ...stated,
      dependsOnIfKnown: [...blockers],
      ...(isEarly && { state: "open", ticked: true }),
      parentKey: parentOf.get(task)?.key ?? null,
    };
  });
  return { tasks, warnings };
}

function parentsFirst(
  all: readonly WithParents[],
  onRing: (child: WithParents, parent: WithParents) => void,
): {
  readonly parentOf: ReadonlyMap<WithParents, WithParents | undefined>;
  readonly ordered: ReadonlySet<WithParents>;
} {
  const byKey = new Map(all.map((task) => [task.key, task]));
  const parentOf = new Map(all.map((task) => [task, task.parents.flatMap((key) => byKey.get(key) ?? [])[0]]));
  const ordered = new Set<WithParents>();
  for (const task of all) {
    const trail = new Set<WithParents>();
    for (let at: WithParents | undefined = task; at && !ordered.has(at); at = parentOf.get(at)) {
      trail.add(at);
      const parent = parentOf.get(at);
      if (!parent || !trail.has(parent)) continue;
      parentOf.set(at, undefined);
      onRing(at, parent);
    }
    for (const one of [...trail].reverse()) ordered.add(one);
  }
  return { parentOf, ordered };
}
