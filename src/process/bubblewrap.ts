import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";
import { messageOf } from "../base/errors.ts";
import { findProgram } from "./find-program.ts";
import { firstShell, namespacePrefix, systemPath } from "./isolation-probe.ts";
import { keyFilter } from "./run/key-filter.ts";

/** A path inside the sandbox. What no mount names does not exist there. */
export type Mount =
  | { readonly kind: "read" | "write"; readonly path: string; readonly from: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  /** An empty folder of its own, in memory; `sealed`: nothing can be created there. */
  | { readonly kind: "empty" | "sealed"; readonly path: string }
  /** An existing file that reads as empty. */
  | { readonly kind: "hidden"; readonly path: string };

export interface SandboxView {
  /** In any order: a mount is applied after those of the folders around it. */
  readonly mounts: readonly Mount[];
  readonly cwd: string;
  /** False: only a loopback interface of its own. */
  readonly network: boolean;
}

/** The programs that build a sandbox. */
export interface Bubblewrap {
  readonly bwrap: string;
  readonly env: string;
}

/**
 * The namespace's first process around a sandbox, as `firstProcess` is without one. bubblewrap waits for the program but
 * has no handlers: a stop signal would end it, and the program with it, before the program could react. Both therefore ignore
 * them; `resetSignals` gives the program the default again.
 */
export function sandboxFirstProcess(before: string): readonly string[] {
  return firstShell(`trap "" INT TERM HUP QUIT; ${before}`);
}
const resetSignals = "--default-signal=INT,TERM,HUP,QUIT";
const probeMs = 5000;

let found: Promise<Bubblewrap | string> | undefined;

/** Finds bubblewrap and tries it. Returns the reason as text if this system has no working one. Once per process (20 ms). */
export async function findBubblewrap(): Promise<Bubblewrap | string> {
  found ??= probe();
  return await found;
}

/** The descriptor on which bubblewrap reads `passFilter`: after those of a program and of the namespace's first process. */
const filterDescriptor = 4;

/** Passes the filter of system calls to a started sandbox, whose descriptor 4 is a pipe. */
export function passFilter(child: ChildProcess): void {
  // A child that did not start has no streams. One that did may end before it reads: its exit is what counts.
  const streams: readonly unknown[] | undefined = child.stdio;
  const stream = streams?.[filterDescriptor] as Writable | null | undefined;
  stream?.on("error", () => undefined);
  stream?.end(keyFilter() ?? "", () => stream.destroy());
}

/**
 * Returns the words before a program that start it inside the sandbox, in the namespace of `namespacePrefix`; the start needs
 * `passFilter`.
 */
export function sandboxPrefix(
  { bwrap, env }: Bubblewrap,
  { mounts, cwd, network }: SandboxView,
): readonly string[] {
  const isRoot = process.getuid?.() === 0;
  return [
    bwrap,
    // The process namespace is the one around it, so that leftover processes can be counted and killed from outside.
    ...["--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"],
    ...(network ? [] : ["--unshare-net"]),
    ...["--cap-drop", "ALL"],
    ...(keyFilter() ? ["--seccomp", `${filterDescriptor}`] : []),
    // Linux lets root create an inner user namespace, as the sandbox of Codex does, only with this capability.
    ...(isRoot ? ["--cap-add", "CAP_SETFCAP"] : []),
    ...["--bind", "/proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"],
    // Linux lets root write here without any capability.
    ...(isRoot ? kernelFiles.flatMap((path) => ["--ro-bind-try", path, path]) : []),
    ...mounts.toSorted((a, b) => a.path.length - b.path.length).flatMap(mountFlags),
    // Last: mount points are created in them.
    ...mounts.flatMap(({ kind, path }) => (kind === "sealed" ? ["--remount-ro", path] : [])),
    ...["--remount-ro", "/", "--chdir", cwd, "--", env, resetSignals],
  ];
}

const kernelFiles = ["/proc/sys", "/proc/sysrq-trigger", "/proc/irq", "/proc/bus", "/proc/acpi", "/proc/fs"];

function mountFlags(mount: Mount): readonly string[] {
  const { path } = mount;
  switch (mount.kind) {
    case "read":
      return ["--ro-bind-try", mount.from, path];
    case "write":
      return ["--bind-try", mount.from, path];
    case "link":
      return ["--symlink", mount.target, path];
    case "empty":
    case "sealed":
      return ["--tmpfs", path];
    case "hidden":
      return ["--ro-bind-try", "/dev/null", path];
  }
}

async function probe(): Promise<Bubblewrap | string> {
  if (process.platform !== "linux") return "only Linux has bubblewrap";
  const place = { cwd: "/", env: { PATH: systemPath } };
  const bwrap = findProgram("bwrap", place);
  if (!bwrap) return "the program bwrap (bubblewrap) was not found";
  const env = findProgram("env", place);
  const namespace = await namespacePrefix();
  if (!namespace || !env) return "this system does not allow a PID namespace";
  const mounts: readonly Mount[] = [{ kind: "read", path: "/", from: "/" }];
  const view = { mounts, cwd: "/", network: false };
  const [program = "", ...args] = [
    ...namespace,
    ...sandboxFirstProcess(""),
    ...sandboxPrefix({ bwrap, env }, view),
    ...["/bin/sh", "-c", "exit 7"],
  ];
  const problem = await tryOut(program, args);
  return problem ?? { bwrap, env };
}

/** Returns why the trial run failed, or null. */
async function tryOut(program: string, args: readonly string[]): Promise<string | null> {
  const child = spawn(program, args, {
    env: { PATH: systemPath },
    stdio: ["ignore", "ignore", "pipe", "ignore", "pipe"],
    timeout: probeMs,
    killSignal: "SIGKILL",
  });
  passFilter(child);
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = `${stderr}${chunk.toString()}`.slice(0, 300);
  });
  return await new Promise((resolve) => {
    child.once("error", (error) => resolve(messageOf(error)));
    child.once("close", (code) => resolve(code === 7 ? null : stderr.trim() || `exit code ${code}`));
  });
}
