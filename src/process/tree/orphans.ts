import { markOf } from "./inherited-mark.ts";
import { type ProcessEntry, parseStat, readProc } from "./process-table.ts";

/**
 * Returns a check, on Linux, whether a process was started by something that ralph marked, changed its mark, and lost its parents:
 * an ancestor of this process adopted it. One with a lower limit than marks have, which an administrator can also set, counts
 * only if it is younger than this process and in its control group. Below a marked process nothing is found.
 */
export function orphanCheck(): (entry: ProcessEntry) => boolean {
  if (process.platform !== "linux" || markOf(process.pid) !== "none") return () => false;
  const self = entryOf(process.pid);
  const above = ancestorsOf(process.pid);
  return (entry) => {
    const mark = markOf(entry.pid);
    if (mark === "none" || mark === "iteration" || !above.has(firstUnmarkedAbove(entry))) return false;
    if (mark === "changed") return true;
    const isYounger = Number(entry.startTime) > Number(self?.startTime);
    return isYounger && controlGroupOf(entry.pid) === controlGroupOf(process.pid);
  };
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

function controlGroupOf(pid: number): string {
  return readProc(pid, "cgroup")?.toString("latin1") ?? "";
}
