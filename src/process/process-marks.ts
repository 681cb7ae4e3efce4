import { sha256 } from "../base/hash.ts";
import { findProgram } from "./find-program.ts";
import { systemPath, tryOut } from "./isolation-probe.ts";
import { type ProcessEntry, type ProcessSurvey, ps, readProc } from "./process-table.ts";

/**
 * An environment variable marks a process until a program starts with another environment (`env -i`); a resource limit
 * is inherited across every fork and exec. Two limits without effect name the iteration: Linux ignores RLIMIT_LOCKS and RLIMIT_RSS,
 * which is more than a petabyte here. Their sum, RLIMIT_RSS in KiB, is the same for all names, so that a limit that a system sets
 * itself is no mark.
 */
const sumOfLimits = 2e15;

let program: Promise<readonly string[]> | undefined;

/** Returns the command prefix that marks a program and all its descendants; empty if the system has no `prlimit`. */
export async function inheritedMark(marker: string | null): Promise<readonly string[]> {
  if (marker === null || process.platform !== "linux") return [];
  program ??= findPrlimit();
  const prlimit = await program;
  return prlimit.length === 0 ? [] : [...prlimit, ...optionsFor(marker)];
}

/** Returns a check whether Linux process `pid` carries the mark; undefined if the process is gone. */
function hasInheritedMark(marker: string): (pid: number) => boolean | undefined {
  const name = nameOf(marker);
  return (pid) => {
    const limits = readProc(pid, "limits")?.toString("latin1");
    if (limits === undefined) return undefined;
    return (
      hardLimit(limits, hardLocks) === name && hardLimit(limits, hardMemory) / 1024 === sumOfLimits - name
    );
  };
}

const hardMemory = /^Max resident set +\w+ +(\d+) /m;
const hardLocks = /^Max file locks +\w+ +(\d+) /m;

function hardLimit(limits: string, line: RegExp): number {
  return Number(line.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
}

function optionsFor(marker: string): readonly string[] {
  const name = nameOf(marker);
  const memory = BigInt(sumOfLimits - name) * 1024n;
  return [`--rss=${memory}:${memory}`, `--locks=${name}:${name}`];
}

/** One of 2^48 values, so that no two iterations, and no unrelated program, share one. */
function nameOf(marker: string): number {
  return Number.parseInt(sha256(marker).slice(0, 12), 16);
}

/** A trial run fails if a hard limit below ours is set. */
async function findPrlimit(): Promise<readonly string[]> {
  const prlimit = findProgram("prlimit", { cwd: "/", env: { PATH: systemPath } });
  return prlimit && (await tryOut([prlimit, ...optionsFor("probe")])) === null ? [prlimit] : [];
}

interface MarkedProcesses {
  readonly running: ReadonlySet<number>;
  /** Marked processes that have ended; their group identifies the processes they started. */
  readonly zombies: readonly ProcessEntry[];
  /** False: the scan may have missed one, because processes started or ended meanwhile. */
  readonly settled: boolean;
}

/**
 * Finds the processes that were started with `RALPH_MARKER=<marker>`, or by such a process.
 */
export async function markedProcesses(survey: ProcessSurvey, marker: string): Promise<MarkedProcesses> {
  if (process.platform !== "linux") {
    return { running: await markedByPs(marker), zombies: [], settled: true };
  }
  const surrounded = Buffer.from(`\0RALPH_MARKER=${marker}\0`);
  const isMarked = hasInheritedMark(marker);
  const running = survey.running.map(({ pid }) => {
    return { pid, mark: environOf(pid).includes(surrounded) || isMarked(pid) };
  });
  const zombies = survey.zombies.map((entry) => ({ entry, mark: isMarked(entry.pid) }));
  return {
    running: new Set(running.filter(({ mark }) => mark).map(({ pid }) => pid)),
    zombies: zombies.filter(({ mark }) => mark).map(({ entry }) => entry),
    // A process that ended before its mark was read may have been marked, and may have started another.
    settled:
      survey.vanished === 0 &&
      running.every(({ mark }) => mark !== undefined) &&
      zombies.every(({ mark }) => mark === false),
  };
}

async function markedByPs(marker: string): Promise<ReadonlySet<number>> {
  const wanted = `RALPH_MARKER=${marker}`;
  const { stdout } = await ps(["-axww", "-E", "-o", "pid=,command="]);
  const found = stdout.split("\n").filter((line) => ` ${line} `.includes(` ${wanted} `));
  return new Set(found.map((line) => Number.parseInt(line, 10)));
}

function environOf(pid: number): Buffer {
  return Buffer.concat([Buffer.of(0), readProc(pid, "environ") ?? Buffer.alloc(0), Buffer.of(0)]);
}
