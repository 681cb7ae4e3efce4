import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Opaque; with the pid it names one process for good. */
  readonly startTime: string;
}

const run = promisify(execFile);

/** Every process that is still running; zombies are not. Empty where the system has no way to tell. */
export async function listProcesses(): Promise<readonly ProcessEntry[]> {
  return (await surveyProcesses()).running;
}

export interface Survey {
  readonly running: readonly ProcessEntry[];
  /** Ended, and their parents have not looked. */
  readonly zombies: readonly ProcessEntry[];
  /** How many ended while this was looked up: each may have left a child that is not listed. */
  readonly vanished: number;
}

/** `except`: pids that need no look, which makes it fast. */
export async function surveyProcesses(except: ReadonlySet<number> = new Set()): Promise<Survey> {
  if (process.platform === "linux") return linuxProcesses(except);
  const running = process.platform === "win32" ? [] : await psProcesses();
  return { running, zombies: [], vanished: 0 };
}

/** What `/proc/<pid>/stat` says; undefined when that is empty, as the process is gone. A zombie is not running. */
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

/** `/proc/<pid>/<name>`, or undefined when the process is gone or not ours to look at. */
export function readProc(pid: number, name: string): Buffer | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return undefined;
  }
}

/** The children of Linux process `pid`: each of its threads has its own. */
export function childrenOf(pid: number): readonly number[] {
  const lists = threadsOf(pid).map(
    (thread) => readProc(pid, `task/${thread}/children`)?.toString("latin1") ?? "",
  );
  return lists.join(" ").split(" ").filter(Boolean).map(Number);
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function linuxProcesses(except: ReadonlySet<number>): Survey {
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

/** `ps` of the system, its output only; empty when it fails. */
export async function ps(args: readonly string[]): Promise<{ readonly stdout: string }> {
  const options = { env: { LC_ALL: "C", PATH: "/bin:/usr/bin" }, maxBuffer: 64 * 1024 * 1024 };
  return await run("ps", args, options).catch(() => ({ stdout: "" }));
}
