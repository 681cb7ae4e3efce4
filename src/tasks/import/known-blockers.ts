import type { ImportedTask } from "./imported-task.ts";

interface BlockedImport {
  /** For messages. */
  readonly path: string;
  readonly tasks: readonly ImportedTask[];
  /** Whether the project has a task with this id. */
  readonly isKnown: (id: string) => boolean;
}

const namedBlockers = 5;

/**
 * The tasks with what they wait for if it is known made a dependency like any other, and a warning that counts what is
 * nowhere: a copy of a tracker often lacks what was finished, deleted, or kept elsewhere.
 */
export function withKnownBlockers({ path, tasks, isKnown }: BlockedImport): {
  readonly tasks: readonly ImportedTask[];
  readonly warnings: readonly string[];
} {
  const keys = new Set(tasks.map(({ key }) => key));
  const lost = new Set<string>();
  let waiting = 0;
  const settled = tasks.map((task) => {
    const { dependsOnIfKnown = [], ...rest } = task;
    if (dependsOnIfKnown.length === 0) return rest;
    const found = dependsOnIfKnown.filter((id) => keys.has(id) || isKnown(id));
    if (found.length < dependsOnIfKnown.length) waiting++;
    for (const id of dependsOnIfKnown) if (!found.includes(id)) lost.add(id);
    return { ...rest, dependsOn: [...new Set([...(rest.dependsOn ?? []), ...found])] };
  });
  if (lost.size === 0) return { tasks: settled, warnings: [] };
  const some = [...lost].slice(0, namedBlockers).join(", ");
  const more = lost.size > namedBlockers ? `, … (${lost.size} in all)` : "";
  const who = waiting === 1 ? "1 task waits" : `${waiting} tasks wait`;
  return {
    tasks: settled,
    warnings: [`${path}: ${who} for what is nowhere here, which is left out: ${some}${more}`],
  };
}
