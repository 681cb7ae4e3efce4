import { setTimeout as sleep } from "node:timers/promises";
import { carriers, listProcesses, type ProcessEntry } from "./process-table.ts";

export interface Leftovers {
  readonly marker: string | null;
  /** Processes seen below the agent, pid to start time: some start their own without the marker. */
  readonly recorded: ReadonlyMap<number, string>;
  /** The agent's process group, null to leave it out. */
  readonly group: number | null;
  /** The group was sent SIGKILL already: who of it is still dying is no leftover. */
  readonly groupIsDying: boolean;
}

const patienceMs = 2000;

/**
 * Kills every running process that was started with `RALPH_MARKER=<marker>`, and what is below those, wherever they
 * moved to; looks again until nothing is left (2 s at most). Never this process or one above it. Returns how many.
 */
export async function reapMarker(marker: string): Promise<number> {
  return await killLeftovers({ marker, recorded: new Map(), group: null, groupIsDying: false });
}

/** As `reapMarker`, and also the group and the recorded processes. */
export async function killLeftovers(leftovers: Leftovers): Promise<number> {
  const killed = new Set<string>();
  const start = performance.now();
  for (let pause = 2; performance.now() - start < patienceMs; pause = Math.min(pause * 2, 50)) {
    const targets = await findLeftovers(leftovers);
    if (targets.length === 0) break;
    for (const { pid, startTime, group } of targets) {
      const counts = !(leftovers.groupIsDying && group === leftovers.group);
      if (sendSignal(pid, "SIGKILL") && counts) killed.add(`${pid} ${startTime}`);
    }
    await sleep(pause);
  }
  return killed.size;
}

/** Sends a signal to `pid`, or to the group `-pid`; false when there is nobody to take it. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** `roots` and all that is below them. */
export function withDescendants(
  entries: readonly ProcessEntry[],
  roots: readonly ProcessEntry[],
): readonly ProcessEntry[] {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of entries) {
    const siblings = children.get(entry.parent);
    if (siblings) siblings.push(entry);
    else children.set(entry.parent, [entry]);
  }
  const found = new Set(roots);
  for (const entry of found) for (const child of children.get(entry.pid) ?? []) found.add(child);
  return [...found];
}

async function findLeftovers({ marker, recorded, group }: Leftovers): Promise<readonly ProcessEntry[]> {
  const entries = await listProcesses();
  const marked = marker ? await carriers(entries, marker) : new Set<number>();
  const roots = entries.filter(
    ({ pid, startTime, group: of }) => marked.has(pid) || recorded.get(pid) === startTime || of === group,
  );
  const spared = ownLine(entries);
  return withDescendants(
    entries,
    roots.filter(({ pid }) => !spared.has(pid)),
  ).filter(({ pid }) => !spared.has(pid));
}

/** This process and all above it. */
function ownLine(entries: readonly ProcessEntry[]): ReadonlySet<number> {
  const parents = new Map(entries.map(({ pid, parent }) => [pid, parent]));
  const line = new Set<number>([0, 1]);
  for (let pid: number | undefined = process.pid; pid && !line.has(pid); pid = parents.get(pid))
    line.add(pid);
  return line;
}
