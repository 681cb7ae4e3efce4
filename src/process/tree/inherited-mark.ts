import { spawn } from "node:child_process";
import { sha256 } from "../../base/hash.ts";
import { findProgram } from "../find-program.ts";
import { systemPath } from "../isolation-probe.ts";
import { readProc } from "./process-table.ts";

/**
 * An environment variable marks a process until a program starts with another environment (`env -i`); a resource limit
 * is inherited across every fork and exec. RLIMIT_RTTIME limits realtime processes only, and here it is at least 31
 * years, so it has no effect. The soft limit names the iteration. The hard limit is the same for all, so that iterations
 * can be nested; only root (CAP_SYS_RESOURCE) can raise it again.
 */
const minMicroseconds = 1e15;
const hardMicroseconds = minMicroseconds + 2 ** 48;
const probeMs = 3000;

let program: Promise<string | undefined> | undefined;

/** Returns the command prefix that marks a program and all its descendants; empty if the system has no `prlimit`. */
export async function inheritedMark(marker: string | null): Promise<readonly string[]> {
  if (marker === null || process.platform !== "linux") return [];
  program ??= findPrlimit();
  const prlimit = await program;
  return prlimit ? [prlimit, optionFor(marker)] : [];
}

/** Returns a check whether Linux process `pid` carries the mark; undefined if the process is gone. */
export function hasInheritedMark(marker: string): (pid: number) => boolean | undefined {
  const line = new RegExp(`^Max realtime timeout +${limitOf(marker)} `, "m");
  return (pid) => {
    const limits = readProc(pid, "limits");
    return limits && line.test(limits.toString("latin1"));
  };
}

/** The state of the hard limit of a Linux process: that of the mark, a lower one, or a higher one or none. */
export function hardMark(pid: number): "mark" | "lower" | "none" {
  const limits = readProc(pid, "limits")?.toString("latin1") ?? "";
  const hard = Number(/^Max realtime timeout +\w+ +(\d+) /m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (hard === hardMicroseconds) return "mark";
  return hard < hardMicroseconds ? "lower" : "none";
}

function optionFor(marker: string): string {
  return `--rttime=${limitOf(marker)}:${hardMicroseconds}`;
}

/** One of 2^48 values, so that no two iterations, and no unrelated program, share one. */
function limitOf(marker: string): number {
  return minMicroseconds + Number.parseInt(sha256(marker).slice(0, 12), 16);
}

async function findPrlimit(): Promise<string | undefined> {
  const prlimit = findProgram("prlimit", { cwd: "/", env: { PATH: systemPath } });
  return prlimit && (await works(prlimit)) ? prlimit : undefined;
}

/** A trial run: it fails if a hard limit below ours is set. */
async function works(prlimit: string): Promise<boolean> {
  const child = spawn(prlimit, [optionFor("probe"), "/bin/sh", "-c", "exit 7"], {
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
