import { spawn } from "node:child_process";
import { sha256 } from "../../base/hash.ts";
import { findProgram } from "../find-program.ts";
import { systemPath } from "../isolation-probe.ts";
import { mayRaiseLimits, readProc } from "./process-table.ts";

/**
 * An environment variable marks a process until a program starts with another environment (`env -i`); a resource limit
 * is inherited across every fork and exec, and only CAP_SYS_RESOURCE, which root may have and which is dropped before, can
 * raise a hard one. Two limits without effect name the iteration: Linux ignores RLIMIT_LOCKS and RLIMIT_RSS, which is more than
 * a petabyte here. Their sum, RLIMIT_RSS in KiB, is the same for all names, so who lowers one of them, or both, has no name
 * of another iteration, and is seen to have changed its own.
 */
const sumOfLimits = 2e15;
const names = 2 ** 48;
const probeMs = 3000;

let program: Promise<readonly string[]> | undefined;
let shell: Promise<boolean> | undefined;

/** Returns the command prefix that marks a program and all its descendants; empty if the system has no `prlimit`. */
export async function inheritedMark(marker: string | null): Promise<readonly string[]> {
  if (marker === null || process.platform !== "linux") return [];
  program ??= findPrlimit();
  const prlimit = await program;
  return prlimit.length === 0 ? [] : [...prlimit, ...optionsFor(marker)];
}

/**
 * Returns the commands by which `/bin/sh` marks itself and all that it starts, which saves the start of a program; undefined if
 * its `ulimit` cannot do it, as that of some shells. They drop no capability.
 */
export async function inheritedMarkCommands(marker: string | null): Promise<string | undefined> {
  if (marker === null) return "";
  if (process.platform !== "linux") return undefined;
  shell ??= works(["/bin/sh", "-c", `set -e; ${commandsFor("probe")} exec "$@"`, "sh"]);
  return (await shell) ? commandsFor(marker) : undefined;
}

/** Returns true if all that ralph starts here gets a mark: commands of a shell mark only what is in a namespace. */
export async function canMark(): Promise<boolean> {
  return (await inheritedMark("probe")).length > 0;
}

/** Returns a check whether Linux process `pid` carries the mark; undefined if the process is gone. */
export function hasInheritedMark(marker: string): (pid: number) => boolean | undefined {
  const name = nameOf(marker);
  return (pid) => {
    const limits = limitsOf(pid);
    return limits && limits.locks === name && limits.memory === sumOfLimits - name;
  };
}

/** The mark of a Linux process: that of an iteration; a `changed` one; or none, as of a process that is gone. */
export type Mark = "iteration" | "changed" | "none";

/** Reads it. Whoever has both limits was marked, whatever they are now: neither has had a use since Linux 2.4. */
export function markOf(pid: number): Mark {
  const limits = limitsOf(pid);
  if (!limits || limits.memory > sumOfLimits || limits.locks > names) return "none";
  return limits.memory + limits.locks === sumOfLimits ? "iteration" : "changed";
}

/** Checks whether this process, on Linux, was started by something that ralph marked. */
export function isMarked(): boolean {
  return process.platform === "linux" && markOf(process.pid) !== "none";
}

interface Limits {
  /** KiB. */
  readonly memory: number;
  readonly locks: number;
}

/** Returns the two hard limits of a process; infinite for none. Undefined if the process is gone. */
function limitsOf(pid: number): Limits | undefined {
  const limits = readProc(pid, "limits")?.toString("latin1");
  if (limits === undefined) return undefined;
  const hard = (line: RegExp): number => Number(line.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  return { memory: hard(hardMemory) / 1024, locks: hard(hardLocks) };
}

const hardMemory = /^Max resident set +\w+ +(\d+) /m;
const hardLocks = /^Max file locks +\w+ +(\d+) /m;

function optionsFor(marker: string): readonly string[] {
  const name = nameOf(marker);
  const memory = BigInt(sumOfLimits - name) * 1024n;
  return [`--rss=${memory}:${memory}`, `--locks=${name}:${name}`];
}

/** The option for RLIMIT_LOCKS is `-w` in dash and BusyBox, `-x` in bash. */
function commandsFor(marker: string): string {
  const name = nameOf(marker);
  return `ulimit -m ${sumOfLimits - name}; ulimit -w ${name} 2>/dev/null || ulimit -x ${name};`;
}

/** One of 2^48 values, so that no two iterations, and no unrelated program, share one. */
function nameOf(marker: string): number {
  return Number.parseInt(sha256(marker).slice(0, 12), 16);
}

async function findPrlimit(): Promise<readonly string[]> {
  const place = { cwd: "/", env: { PATH: systemPath } };
  const prlimit = findProgram("prlimit", place);
  if (!prlimit) return [];
  const setpriv = mayRaiseLimits(process.pid) ? findProgram("setpriv", place) : undefined;
  const dropping = [...(setpriv ? [setpriv, "--bounding-set=-sys_resource"] : []), prlimit];
  const probe = optionsFor("probe");
  if (await works([...dropping, ...probe])) return dropping;
  return (await works([prlimit, ...probe])) ? [prlimit] : [];
}

/** A trial run: it fails if a hard limit below ours is set. */
async function works([file = "", ...args]: readonly string[]): Promise<boolean> {
  const child = spawn(file, [...args, "/bin/sh", "-c", "exit 7"], {
    env: { PATH: systemPath },
    stdio: "ignore",
    timeout: probeMs,
    killSignal: "SIGKILL",
  });
  return await new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 7));
  });
}
