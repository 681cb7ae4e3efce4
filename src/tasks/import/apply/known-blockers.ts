import type { ImportedTask } from "../source/imported-task.ts";

interface BlockedImport {
  /** For messages. */
  readonly path: string;
  readonly tasks: readonly ImportedTask[];
  /** Returns true if the project has a task with this id. */
  readonly isKnown: (id: string) => boolean;
}

const maxNamedBlockers = 5;

/**
 * Converts each known id of `dependsOnIfKnown` into a dependency and returns a warning that names the unknown ones: a copy
 * of a tracker often lacks issues that were finished, deleted or moved.
 */
export function withKnownBlockers({ path, tasks, isKnown }: BlockedImport): {
  readonly tasks: readonly ImportedTask[];
  readonly warnings: readonly string[];
} {
  const keys = new Set(tasks.map(({ key }) => key));
  const unknown = new Set<string>();
  let waiting = 0;
  const settled = tasks.map((task) => {
    const { dependsOnIfKnown = [], ...rest } = task;
    // It waits for nothing, so finished tasks may be in a cycle.
    if (task.state === "done") return { ...rest, ...(rest.dependsOn && { dependsOn: [] }) };
    if (dependsOnIfKnown.length === 0) return rest;
    const found = dependsOnIfKnown.filter((id) => keys.has(id) || isKnown(id));
    if (found.length < dependsOnIfKnown.length) waiting++;
    for (const id of dependsOnIfKnown) if (!found.includes(id)) unknown.add(id);
    return { ...rest, dependsOn: [...new Set([...(rest.dependsOn ?? []), ...found])] };
  });
  if (unknown.size === 0) return { tasks: settled, warnings: [] };
  const some = [...unknown].slice(0, maxNamedBlockers).join(", ");
  const more = unknown.size > maxNamedBlockers ? `, … (${unknown.size} in all)` : "";
  const subject = waiting === 1 ? "1 task depends" : `${waiting} tasks depend`;
  return {
    tasks: settled,
    warnings: [`${path}: ${subject} on unknown tasks; ignored: ${some}${more}`],
  };
}
