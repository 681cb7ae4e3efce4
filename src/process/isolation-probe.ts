import { spawn } from "node:child_process";
import { findProgram } from "./find-program.ts";

export type IsolationLevel = "pid-namespace" | "process-group";

/** Never the user's PATH: what stands between ralph and the agent is the system's own. */
export const systemPath = "/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin";
const probeMs = 3000;

let prefix: Promise<readonly string[] | undefined> | undefined;

/**
 * The words before `program args…` that put it into a PID namespace which dies with it and with us, or undefined
 * where the system allows none. Found once per process by really running `true` in it (5 ms).
 */
export async function namespacePrefix(): Promise<readonly string[] | undefined> {
  prefix ??= findPrefix();
  return await prefix;
}

/**
 * The namespace's first process. It outlives the program, so that signals keep their default effect on the program
 * (the first process is immune), counts on descriptor 3 what the program left running, and takes that down by
 * leaving. Without the trap, dash answers SIGINT for the program and its exit code is lost. The trap does not reach
 * the program: a caught signal is set back to its default in a child.
 */
export const firstProcess: readonly string[] = [
  "/bin/sh",
  "-c",
  'trap : INT TERM HUP QUIT; "$@" 3>&-; code=$?; set -- /proc/[0-9]*; echo $(($# - 1)) >&3; exit $code',
  "sh",
];

async function findPrefix(): Promise<readonly string[] | undefined> {
  if (process.platform !== "linux") return undefined;
  const place = { cwd: "/", env: { PATH: systemPath } };
  const setpriv = findProgram("setpriv", place);
  const unshare = findProgram("unshare", place);
  if (!setpriv || !unshare) return undefined;
  // As root a user namespace would only take rights away; else it is what makes the PID namespace possible.
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-current-user"];
  const words = [unshare, ...user, "--pid", "--fork", "--kill-child", "--mount-proc", "--"];
  // Of the two, either alone lets the agent live on when we are killed outright.
  const candidate = [setpriv, "--pdeathsig", "KILL", ...words];
  return (await works(candidate)) ? candidate : undefined;
}

async function works([program = "", ...args]: readonly string[]): Promise<boolean> {
  const argv = [...args, ...firstProcess, "/bin/sh", "-c", "exit 7"];
  const child = spawn(program, argv, {
    env: { PATH: systemPath },
    stdio: ["ignore", "ignore", "ignore", "ignore"],
    timeout: probeMs,
    killSignal: "SIGKILL",
  });
  return await new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 7));
  });
}
