import { setTimeout as sleep } from "node:timers/promises";
import { markedProcesses } from "./tree/marked-processes.ts";
import { type ProcessEntry, surveyProcesses } from "./tree/process-table.ts";

export interface Leftovers {
  readonly marker: string | null;
  /** Processes seen below the agent, pid to start time: some start their own without the marker. */
  readonly recorded: ReadonlyMap<number, string>;
  /** The agent's process group, null to leave it out. */
  readonly group: number | null;
  /** The group was sent SIGKILL already: who of it is still dying is no leftover. */
  readonly groupIsDying: boolean;
}

const maxKillMs = 2000;
/** Looks that find nobody new of ours, on a machine where others come and go all the time: 2 ms apart. */
const emptyScans = 25;

/**
 * Kills every running process that bears the marker, and what is below those, wherever they moved to; looks again until
 * nothing is left (2 s at most). Never this process or one above it. Returns how many.
 */
export async function killMarked(marker: string): Promise<number> {
  return await killLeftovers({ marker, recorded: new Map(), group: null, groupIsDying: false });
}

/** As `reapMarker`, and also the group and the recorded processes. */
export async function killLeftovers(leftovers: Leftovers): Promise<number> {
  const killed = new Set<string>();
  const start = performance.now();
  // Whoever is not ours now never becomes it: looking at those who came since is quick, and catches short lives.
  let strangers: ReadonlySet<number> = new Set();
  let inVain = 0;
  for (let pause = 2; performance.now() - start < maxKillMs; pause = Math.min(pause * 2, 50)) {
    const found = await findLeftovers(leftovers, strangers);
    kill(found, leftovers, killed);
    const none = found.targets.length === 0;
    if (none && (found.settled || inVain >= emptyScans)) break;
    inVain = none ? inVain + 1 : 0;
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
  // One that forks faster than it is found cannot fork its way out of a whole group's end.
  for (const group of found.groups) sendSignal(-group, "SIGKILL");
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

interface FoundLeftovers {
  readonly targets: readonly ProcessEntry[];
  /** Theirs alone: an agent begins a session of its own, which nobody joins from outside. */
  readonly groups: ReadonlySet<number>;
  /** All that were looked at, but this process and those above it. */
  readonly seen: readonly number[];
  /** False: there may be more. */
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
  // As a target, 0 is our own group and -1 everybody.
  const notTheirs = new Set([0, 1, ...entries.filter(({ pid }) => spared.has(pid)).map((own) => own.group)]);
  const theirs = [...targets, ...marked.zombies].map((entry) => entry.group);
  const groups = new Set(theirs.filter((id) => !notTheirs.has(id)));
  // A zombie starts nobody any more: whom it had started was there to be seen at the next look.
  const seen = [...entries, ...survey.zombies].map(({ pid }) => pid).filter((pid) => !spared.has(pid));
  return { targets, groups, seen, settled: marked.settled };
}

/** This process and all above it. */
function ownLine(entries: readonly ProcessEntry[]): ReadonlySet<number> {
  const parents = new Map(entries.map(({ pid, parent }) => [pid, parent]));
  const line = new Set<number>([0, 1]);
  for (let pid: number | undefined = process.pid; pid && !line.has(pid); pid = parents.get(pid))
    line.add(pid);
  return line;
}
