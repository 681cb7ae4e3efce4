import { spawn } from "node:child_process";
import { sha256 } from "../../base/hash.ts";
import { findProgram } from "../find-program.ts";
import { systemPath } from "../isolation-probe.ts";
import { readProc } from "./process-table.ts";

/**
 * The environment marks a process until it is started with another one (`env -i`); a resource limit stays, over every
 * fork and exec. RLIMIT_RTTIME bounds realtime processes only, and here it is 31 years and up: it changes nothing.
 */
const minMicroseconds = 1e15;
const probeMs = 3000;

let program: Promise<string | undefined> | undefined;

/** The words before `program args…` that mark it and all it ever starts; none where the system has no `prlimit`. */
export async function inheritedMark(marker: string | null): Promise<readonly string[]> {
  if (marker === null || process.platform !== "linux") return [];
  program ??= findPrlimit();
  const prlimit = await program;
  return prlimit ? [prlimit, `--rttime=${limitOf(marker)}:`] : [];
}

/** Tells whether Linux process `pid` was started under the mark; undefined when it is gone. */
export function hasInheritedMark(marker: string): (pid: number) => boolean | undefined {
  const line = new RegExp(`^Max realtime timeout +${limitOf(marker)} `, "m");
  return (pid) => {
    const limits = readProc(pid, "limits");
    return limits && line.test(limits.toString("latin1"));
  };
}

/** Of 2^48 values, so that no two iterations and no program of another's share one. */
function limitOf(marker: string): number {
  return minMicroseconds + Number.parseInt(sha256(marker).slice(0, 12), 16);
}

async function findPrlimit(): Promise<string | undefined> {
  const prlimit = findProgram("prlimit", { cwd: "/", env: { PATH: systemPath } });
  return prlimit && (await works(prlimit)) ? prlimit : undefined;
}

/** A hard limit below ours is in the way. */
async function works(prlimit: string): Promise<boolean> {
  const child = spawn(prlimit, [`--rttime=${limitOf("probe")}:`, "/bin/sh", "-c", "exit 7"], {
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
