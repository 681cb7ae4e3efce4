import { withDescendants } from "./kill-leftovers.ts";
import { childrenOf, listProcesses, type ProcessEntry, parseStat, readProc } from "./process-table.ts";

export interface DescendantWatch {
  /** Scans a last time and returns the known running processes, pid to start time. */
  stop(): Promise<ReadonlyMap<number, string>>;
}

/** A scan takes 0.4 ms for an agent with 25 threads; outside Linux it reads every process, at 15 µs each. */
const pauseMs = process.platform === "linux" ? 100 : 1000;

/**
 * Records the descendants of `pid` while it runs: a process that leaves its group, its marker and its parent can only be
 * found if a scan saw it before. One that does so within 100 ms of its start is missed.
 */
export function watchDescendants(pid: number): DescendantWatch {
  let known: ReadonlyMap<number, string> = new Map();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const update = async (): Promise<void> => {
    known = process.platform === "linux" ? walk(pid, known) : await scan(pid, known);
  };
  const tick = (): void => {
    timer = setTimeout(() => {
      void update().then(() => {
        if (!stopped) tick();
      });
    }, pauseMs);
  };
  tick();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await update();
      return known;
    },
  };
}

function walk(pid: number, known: ReadonlyMap<number, string>): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  const open = [pid, ...known.keys()];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    const entry = parseStat(readProc(next, "stat")?.toString("latin1") ?? "");
    if (!entry?.running || (known.get(next) ?? entry.startTime) !== entry.startTime) continue;
    found.set(next, entry.startTime);
    for (const one of childrenOf(next)) open.push(one);
  }
  return found;
}

async function scan(pid: number, known: ReadonlyMap<number, string>): Promise<ReadonlyMap<number, string>> {
  const entries = await listProcesses();
  const isRoot = (entry: ProcessEntry): boolean =>
    entry.pid === pid || known.get(entry.pid) === entry.startTime;
  const below = withDescendants(entries, entries.filter(isRoot));
  return new Map(below.map((entry) => [entry.pid, entry.startTime]));
}
