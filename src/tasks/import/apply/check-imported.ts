import { RalphError } from "../../../base/errors.ts";
import { nearest } from "../../../base/nearest.ts";
import type { ImportedTask } from "../source/imported-task.ts";
import { findCycle } from "./import-dependencies.ts";

interface CheckedImport {
  /** For messages. */
  readonly path: string;
  readonly tasks: readonly ImportedTask[];
  /** Returns true if the project has a task with this id. */
  readonly isKnown: (id: string) => boolean;
}

/**
 * Rejects an inconsistent file. Errors: RALPH_IMPORT_DUPLICATE_ID with both lines, RALPH_IMPORT_UNKNOWN_DEPENDENCY,
 * RALPH_TASK_CYCLE with the path.
 */
export function checkImported({ path, tasks, isKnown }: CheckedImport): void {
  const byKey = new Map<string, ImportedTask>();
  for (const task of tasks) {
    const first = byKey.get(task.key);
    if (first) {
      const message = `${path}:${task.line}: duplicate id ${task.key}: already used in line ${first.line}`;
      throw new RalphError("RALPH_IMPORT_DUPLICATE_ID", message, {
        hint: "Give each task a unique id.",
      });
    }
    byKey.set(task.key, task);
  }
  for (const task of tasks) {
    for (const blocker of task.dependsOn ?? []) {
      if (byKey.has(blocker) || isKnown(blocker)) continue;
      const meant = nearest(blocker, byKey.keys());
      const message = `${path}:${task.line}: task ${task.key} depends on unknown task ${blocker}`;
      const hint = meant
        ? `Did you mean ${meant}?`
        : "Import the file that contains it first, or remove the dependency.";
      throw new RalphError("RALPH_IMPORT_UNKNOWN_DEPENDENCY", message, { hint });
    }
  }
  refuseCycles(path, byKey);
}

function refuseCycles(path: string, byKey: ReadonlyMap<string, ImportedTask>): void {
  const waitsFor = new Map<string, string[]>();
  for (const { key, dependsOn } of byKey.values()) waitsFor.set(key, [...(dependsOn ?? [])]);
  // A parent waits for its children.
  for (const { key, parentKey } of byKey.values()) if (parentKey) waitsFor.get(parentKey)?.push(key);
  const cycle = findCycle(waitsFor);
  if (!cycle) return;
  const line = byKey.get(cycle[0] ?? "")?.line ?? 1;
  const message = `${path}:${line}: these depend on each other: ${cycle.join(" → ")}`;
  throw new RalphError("RALPH_TASK_CYCLE", message, {
    hint: "Remove one of these dependencies from the file; a parent waits for its children.",
  });
}
