import { markOf } from "./inherited-mark.ts";
import { type ProcessEntry, parseStat, readProc } from "./process-table.ts";

/**
 * Returns a check, on Linux, whether a process was started by something that ralph marked, changed its mark, and lost its parents:
 * an ancestor of this process adopted it. Below a marked process nothing is found.
 */
export function orphanCheck(): (entry: ProcessEntry) => boolean {
  if (process.platform !== "linux" || markOf(process.pid) !== "none") return () => false;
  const above = ancestorsOf(process.pid);
  return (entry) => markOf(entry.pid) === "changed" && above.has(firstUnmarkedAbove(entry));
}

function entryOf(pid: number): ProcessEntry | undefined {
  return parseStat(readProc(pid, "stat")?.toString("latin1") ?? "");
}

/** Returns the ancestors of a process, as far as they are visible, and the first process. */
function ancestorsOf(pid: number): ReadonlySet<number> {
  const found = new Set<number>([1]);
  for (let next = entryOf(pid)?.parent ?? 0; next > 0 && !found.has(next); next = entryOf(next)?.parent ?? 0)
    found.add(next);
  return found;
}

/** Returns the nearest ancestor without a mark; 0 if there is none. */
function firstUnmarkedAbove({ parent }: ProcessEntry): number {
  let next = parent;
  while (next > 0 && markOf(next) !== "none") next = entryOf(next)?.parent ?? 0;
  return next;
}
