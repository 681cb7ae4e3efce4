import { RalphError } from "../base/errors.ts";
import { nearest } from "../base/nearest.ts";
import type { ImportedTask } from "./imported-task.ts";

interface Checked {
  /** For messages. */
  readonly path: string;
  readonly tasks: readonly ImportedTask[];
  /** Whether the project has a task with this id from elsewhere. */
  readonly isKnown: (id: string) => boolean;
}

/**
 * Refuses a file that contradicts itself: RALPH_IMPORT_DUPLICATE_ID with both lines, RALPH_IMPORT_UNKNOWN_DEPENDENCY,
 * RALPH_TASK_CYCLE with the path.
 */
export function checkImported({ path, tasks, isKnown }: Checked): void {
  const byKey = new Map<string, ImportedTask>();
  for (const task of tasks) {
    const first = byKey.get(task.key);
    if (first) {
      const message = `${path}:${task.line}: the id ${task.key} is there already, in line ${first.line}`;
      throw new RalphError("RALPH_IMPORT_DUPLICATE_ID", message, {
        hint: "Give each task an id of its own.",
      });
    }
    byKey.set(task.key, task);
  }
  for (const task of tasks) {
    for (const blocker of task.dependsOn ?? []) {
      if (byKey.has(blocker) || isKnown(blocker)) continue;
      const meant = nearest(blocker, byKey.keys());
      const message = `${path}:${task.line}: task ${task.key} depends on ${blocker}, and there is no such task`;
      const hint = meant
        ? `Did you mean ${meant}?`
        : "Import the file that has it first, or take the dependency out.";
      throw new RalphError("RALPH_IMPORT_UNKNOWN_DEPENDENCY", message, { hint });
    }
  }
  refuseCycles(path, byKey);
}

function refuseCycles(path: string, byKey: ReadonlyMap<string, ImportedTask>): void {
  const finished = new Set<string>();
  for (const start of byKey.keys()) {
    // The keys from `start` on, each with what it still waits for.
    const trail = new Map<string, Iterator<string>>();
    const enter = (key: string): string => {
      trail.set(key, (byKey.get(key)?.dependsOn ?? [])[Symbol.iterator]());
      return key;
    };
    const steps: string[] = finished.has(start) ? [] : [enter(start)];
    for (let top = steps.at(-1); top !== undefined; top = steps.at(-1)) {
      const next = trail.get(top)?.next();
      if (!next || next.done) {
        finished.add(top);
        trail.delete(top);
        steps.pop();
      } else if (trail.has(next.value)) {
        throw cycle(path, [...steps.slice(steps.indexOf(next.value)), next.value], byKey);
      } else if (!finished.has(next.value)) steps.push(enter(next.value));
    }
  }
}

function cycle(path: string, keys: readonly string[], byKey: ReadonlyMap<string, ImportedTask>): RalphError {
  const line = byKey.get(keys[0] ?? "")?.line ?? 1;
  const message = `${path}:${line}: these depend on each other: ${keys.join(" → ")}`;
  return new RalphError("RALPH_TASK_CYCLE", message, {
    hint: "Take one of these dependencies out of the file.",
  });
}
