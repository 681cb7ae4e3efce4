import { setTimeout as sleep } from "node:timers/promises";
import { markedProcesses } from "./process-marks.ts";
import { type ProcessEntry, surveyProcesses } from "./process-table.ts";

export interface Leftovers {
  readonly marker: string | null;
  /** Descendants of the agent that were seen, pid to start time: some start processes without the marker. */
  readonly recorded: ReadonlyMap<number, string>;
  /** The agent's process group, null to leave it out. */
  readonly group: number | null;
  /** True: the group already got SIGKILL, so its dying members do not count as leftovers. */
  readonly groupIsDying: boolean;
}

const maxKillMs = 2000;
/** Consecutive scans without a new leftover after which to stop, on a machine where other processes keep changing. */
const maxEmptyScans = 25;

/**
 * Kills every running process that carries the marker, with all descendants, and rescans until none is left (2 s at
 * most). Never kills this process or its ancestors. Returns the number of killed processes.
 */
export async function killMarked(marker: string): Promise<number> {
  return await killLeftovers({ marker, recorded: new Map(), group: null, groupIsDying: false });
}

/** Like `killMarked`, and also kills the group and the recorded processes. */
export async function killLeftovers(leftovers: Leftovers): Promise<number> {
  const killed = new Set<string>();
  const start = performance.now();
  // A process that is not a leftover never becomes one: scanning only new processes is fast enough for short-lived ones.
  let strangers: ReadonlySet<number> = new Set();
  let scansWithout = 0;
  for (let pause = 2; performance.now() - start < maxKillMs; pause = Math.min(pause * 2, 50)) {
    const found = await findLeftovers(leftovers, strangers);
    kill(found, leftovers, killed);
    const none = found.targets.length === 0;
    if (none && (found.settled || scansWithout >= maxEmptyScans)) break;
    scansWithout = none ? scansWithout + 1 : 0;
    strangers = none ? new Set([...strangers, ...found.seen]) : new Set();
    await sleep(none ? 2 : pause);
  }
  return killed.size;
}

function kill(found: FoundLeftovers, leftovers: Leftovers, killed: Set<string>): void {
  for (const { pid, startTime, group } of found.targets) {
    const counts = !(leftovers.groupIsDying && group === leftovers.group);
    if (sendSignal(pid, "SIGKILL") && counts) killed.add(`${pid} ${startTime}`);
  }
  // A process that forks faster than scans find it is still killed with its group.
  for (const group of found.groups) sendSignal(-group, "SIGKILL");
}

/** Sends a signal to `pid`, or to the group `-pid`; false if no process received it. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** Returns `roots` and all their descendants. */
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

interface FoundLeftovers {
  readonly targets: readonly ProcessEntry[];
  /** Groups of leftovers only: an agent starts its own session, which no outside process joins. */
  readonly groups: ReadonlySet<number>;
  /** All scanned pids, except this process and its ancestors. */
  readonly seen: readonly number[];
  /** False: the scan may have missed some. */
  readonly settled: boolean;
}

const unmarked = { running: new Set<number>(), zombies: [], settled: true };

async function findLeftovers(
  { marker, recorded, group }: Leftovers,
  strangers: ReadonlySet<number>,
): Promise<FoundLeftovers> {
  const survey = await surveyProcesses(strangers);
  const entries = survey.running;
  const marked = marker ? await markedProcesses(survey, marker) : unmarked;
  const roots = entries.filter(
    ({ pid, startTime, group: of }) =>
      marked.running.has(pid) || recorded.get(pid) === startTime || of === group,
  );
  const spared = ownLine(entries);
  const below = withDescendants(
    entries,
    roots.filter(({ pid }) => !spared.has(pid)),
  );
  const targets = below.filter(({ pid }) => !spared.has(pid));
  // As a signal target, 0 is our own group and -1 every process.
  const notTheirs = new Set([0, 1, ...entries.filter(({ pid }) => spared.has(pid)).map((own) => own.group)]);
  const theirs = [...targets, ...marked.zombies].map((entry) => entry.group);
  const groups = new Set(theirs.filter((id) => !notTheirs.has(id)));
  // A zombie cannot start processes, and the next scan sees those that it started.
  const seen = [...entries, ...survey.zombies].map(({ pid }) => pid).filter((pid) => !spared.has(pid));
  return { targets, groups, seen, settled: marked.settled };
}

/** This process and its ancestors. */
function ownLine(entries: readonly ProcessEntry[]): ReadonlySet<number> {
  const parents = new Map(entries.map(({ pid, parent }) => [pid, parent]));
  const line = new Set<number>([0, 1]);
  for (let pid: number | undefined = process.pid; pid && !line.has(pid); pid = parents.get(pid))
    line.add(pid);
  return line;
}
