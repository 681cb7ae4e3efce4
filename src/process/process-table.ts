import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { namesIn } from "../base/careful-files.ts";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Opaque; together with the pid it identifies one process permanently. */
  readonly startTime: string;
}

const run = promisify(execFile);

/** Lists every running process, without zombies. Empty if the system cannot list them. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  return (await surveyProcesses()).running;
}

export interface ProcessSurvey {
  readonly running: readonly ProcessEntry[];
  /** Ended, but not yet reaped by their parents. */
  readonly zombies: readonly ProcessEntry[];
  /** The number of processes that ended during the scan: each may have left a child that is not listed. */
  readonly vanished: number;
}

/** Scans all processes but those in `except`, whose omission makes it fast. */
export async function surveyProcesses(except: ReadonlySet<number> = new Set()): Promise<ProcessSurvey> {
  if (process.platform === "linux") return linuxProcesses(except);
  const running = process.platform === "win32" ? [] : await psProcesses();
  return { running, zombies: [], vanished: 0 };
}

/** Parses `/proc/<pid>/stat`; undefined if it is empty because the process is gone. A zombie is not running. */
export function parseStat(stat: string): (ProcessEntry & { readonly running: boolean }) | undefined {
  // The second field is the program's name, which may hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, parent, group] = fields;
  const startTime = fields[19];
  if (!state || startTime === undefined) return undefined;
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(parent),
    group: Number(group),
    startTime,
    running: state !== "Z" && state !== "X",
  };
}

/** Reads `/proc/<pid>/<name>`; undefined if the process is gone or not readable for this user. */
export function readProc(pid: number, name: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}

/** Lists the children of Linux process `pid`. The kernel lists them per thread. */
export function childrenOf(pid: number): readonly number[] {
  const lists = namesIn(`/proc/${pid}/task`).map(
    (thread) => readProc(pid, `task/${thread}/children`)?.toString("latin1") ?? "",
  );
  return lists.join(" ").split(" ").filter(Boolean).map(Number);
}

function linuxProcesses(except: ReadonlySet<number>): ProcessSurvey {
  const names = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  const pids = names.map(Number).filter((pid) => !except.has(pid));
  const stats = pids.map((pid) => parseStat(readProc(pid, "stat")?.toString("latin1") ?? ""));
  const found = stats.filter((entry) => entry !== undefined);
  return {
    running: found.filter(({ running }) => running),
    zombies: found.filter(({ running }) => !running),
    vanished: pids.length - found.length,
  };
}

async function psProcesses(): Promise<readonly ProcessEntry[]> {
  const { stdout } = await ps(["-ax", "-o", "pid=,ppid=,pgid=,stat=,lstart="]);
  return stdout.split("\n").flatMap((line) => {
    const [, pid, parent, group, state, startTime] =
      /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    if (!startTime || state?.startsWith("Z")) return [];
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), startTime }];
  });
}

/** Runs the system's `ps` and returns its output; empty if it fails. */
export async function ps(args: readonly string[]): Promise<{ readonly stdout: string }> {
  const options = { env: { LC_ALL: "C", PATH: "/bin:/usr/bin" }, maxBuffer: 64 * 1024 * 1024 };
  return await run("ps", args, options).catch(() => ({ stdout: "" }));
}

/** Checks whether a Linux process has the capability CAP_SYS_RESOURCE, as root often has; true where that is unknown. */
export function mayRaiseLimits(pid: number): boolean {
  const status = readProc(pid, "status")?.toString("latin1") ?? "";
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return effective === undefined || (BigInt(`0x${effective}`) & capSysResource) !== 0n;
}

const capSysResource = 1n << 24n;
