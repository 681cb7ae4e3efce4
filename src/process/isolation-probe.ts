import { spawn } from "node:child_process";
import { messageOf } from "../base/errors.ts";
import { findProgram } from "./find-program.ts";
import { mayRaiseLimits } from "./process-table.ts";

export type IsolationLevel = "pid-namespace" | "process-group";

/** Used in place of the user's PATH: the programs that isolate the agent must be the system's own. */
export const systemPath = "/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";
const mapUser = "--map-current-user";
const probeMs = 5000;

let prefix: Promise<readonly string[] | undefined> | undefined;

/**
 * Returns the command prefix that starts a program in a PID namespace which ends with the program and with this process;
 * undefined if the system does not allow one. Determined once per process by a trial run (5 ms).
 */
export async function namespacePrefix(): Promise<readonly string[] | undefined> {
  prefix ??= findPrefix();
  return await prefix;
}

/** Returns the prefix by which the namespace's first process can make mounts; `setpriv` takes that from what it starts. */
export function keepingCapabilities(prefix: readonly string[]): readonly string[] {
  return prefix.flatMap((word) => (word === mapUser ? [word, "--keep-caps"] : [word]));
}

/**
 * The namespace's first process. It outlives the program, so that signals keep their default effect on the program
 * (the first process is immune to them). It writes the number of leftover processes to descriptor 3; its exit kills
 * them. Without the trap, dash handles SIGINT itself and the program's exit code is lost. The program does not inherit
 * the trap: a caught signal is reset to its default in a child. `before`: commands that it executes first, each with its `;`.
 */
export function firstProcess(before: string): readonly string[] {
  return firstShell(`trap : INT TERM HUP QUIT; ${before}`);
}

/** As `firstProcess`, with other commands in place of its trap. */
export function firstShell(before: string): readonly string[] {
  const script = '"$@" 3>&-; code=$?; set -- /proc/[0-9]*; echo $(($# - 1)) >&3; exit $code';
  return ["/bin/sh", "-c", `${before} ${script}`, "sh"];
}

async function findPrefix(): Promise<readonly string[] | undefined> {
  if (process.platform !== "linux") return undefined;
  const place = { cwd: "/", env: { PATH: systemPath } };
  const setpriv = findProgram("setpriv", place);
  const unshare = findProgram("unshare", place);
  if (!setpriv || !unshare) return undefined;
  // For root, a user namespace would only remove rights; for others it is what permits the PID namespace.
  const user = process.getuid?.() === 0 ? [] : ["--user", mapUser];
  const words = [unshare, ...user, "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
  // Both are needed: with only one of them, the agent survives when this process is killed by SIGKILL.
  const candidate = ["--pdeathsig", "KILL", ...words];
  const dropping = [setpriv, "--bounding-set=-sys_resource", ...candidate];
  const prefixes = [...(mayRaiseLimits(process.pid) ? [dropping] : []), [setpriv, ...candidate]];
  for (const one of prefixes) if ((await tryOut([...one, ...firstProcess("")])) === null) return one;
  return undefined;
}

/** Starts a program that exits with 7 by these words. Returns why that failed, or null. */
export async function tryOut([program = "", ...args]: readonly string[]): Promise<string | null> {
  const child = spawn(program, [...args, "/bin/sh", "-c", "exit 7"], {
    cwd: "/",
    env: { PATH: systemPath },
    stdio: ["ignore", "ignore", "pipe", "ignore"],
    timeout: probeMs,
    killSignal: "SIGKILL",
  });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(0, 300);
  });
  return await new Promise((resolve) => {
    child.once("error", (error) => resolve(messageOf(error)));
    child.once("close", (code) => resolve(code === 7 ? null : stderr.trim() || `exit code ${code}`));
  });
}
