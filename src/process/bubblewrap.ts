import { findProgram } from "./find-program.ts";
import { firstShell, namespacePrefix, systemPath, tryOut } from "./isolation-probe.ts";

/** A path inside the sandbox. What no mount names does not exist there. */
export type Mount =
  | { readonly kind: "read" | "write"; readonly path: string; readonly from: string }
  /** A folder that stays as it is, with all that is in it, and that nothing inside can rename. */
  | { readonly kind: "pin"; readonly path: string }
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

/** The start of a program in a sandbox, inside the process namespace. */
export interface SandboxWords {
  /** Who builds it: bubblewrap, or the shell around the program (`mountScript`). */
  readonly by: "bubblewrap" | "mounts";
  /** The words before the program. */
  readonly words: readonly string[];
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
export const sandboxFirstProcess: readonly string[] = firstShell('trap "" INT TERM HUP QUIT;');
const resetSignals = "--default-signal=INT,TERM,HUP,QUIT";

let found: Promise<Bubblewrap | string> | undefined;
let viewer: Promise<Bubblewrap | string> | undefined;

/** Finds bubblewrap and tries it for `sandboxWords`. Returns the reason as text if this system has no working one. Once per process (20 ms). */
export async function findBubblewrap(): Promise<Bubblewrap | string> {
  found ??= probe();
  return await found;
}

/** As `findBubblewrap`, for `viewWords`. */
export async function findViewer(dropping: readonly string[]): Promise<Bubblewrap | string> {
  viewer ??= probeView(dropping);
  return await viewer;
}

/** Returns what starts a program in a sandbox that shows only the mounts. */
export function sandboxWords(
  { bwrap, env }: Bubblewrap,
  { mounts, cwd, network }: SandboxView,
): SandboxWords {
  const isRoot = process.getuid?.() === 0;
  const words = [
    bwrap,
    // The process namespace is the one around it, so that leftover processes can be counted and killed from outside.
    ...["--unshare-user", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"],
    ...(network ? [] : ["--unshare-net"]),
    ...["--cap-drop", "ALL"],
    // Linux lets root create an inner user namespace, as the sandbox of Codex does, only with this capability.
    ...(isRoot ? ["--cap-add", "CAP_SETFCAP"] : []),
    ...["--bind", "/proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/var/tmp"],
    // Linux lets root write here without any capability.
    ...(isRoot ? kernelFiles.flatMap((path) => ["--ro-bind-try", path, path]) : []),
    ...mountWords(mounts),
    ...["--remount-ro", "/", "--chdir", cwd, "--", env, resetSignals],
  ];
  return { by: "bubblewrap", words };
}

/**
 * Returns what starts a program where it sees the system as it is, but for the mounts. `dropping`: the words that take
 * capabilities from root, who gets no user namespace: in one it could not write the files of others.
 */
export function viewWords(
  { bwrap, env }: Bubblewrap,
  mounts: readonly Mount[],
  dropping: readonly string[],
): SandboxWords {
  const user = dropping.length === 0 ? ["--unshare-user", "--cap-drop", "ALL"] : [];
  const words = [
    ...[bwrap, ...user, "--die-with-parent", "--dev-bind", "/", "/"],
    ...mountWords(mounts),
    ...["--", ...dropping, env, resetSignals],
  ];
  return { by: "bubblewrap", words };
}

/** Sealed folders become read-only last: mount points are created in them. */
function mountWords(mounts: readonly Mount[]): readonly string[] {
  return [
    ...mounts.toSorted((a, b) => a.path.length - b.path.length).flatMap(mountFlags),
    ...mounts.flatMap(({ kind, path }) => (kind === "sealed" ? ["--remount-ro", path] : [])),
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
    case "pin":
      return ["--dev-bind", path, path];
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
  const programs = await programsHere();
  if (typeof programs === "string") return programs;
  const mounts: readonly Mount[] = [{ kind: "read", path: "/", from: "/" }];
  return (await whyNot(sandboxWords(programs, { mounts, cwd: "/", network: false }))) ?? programs;
}

async function probeView(dropping: readonly string[]): Promise<Bubblewrap | string> {
  const programs = await programsHere();
  if (typeof programs === "string") return programs;
  return (
    (await whyNot(viewWords(programs, [{ kind: "read", path: "/usr", from: "/usr" }], dropping))) ?? programs
  );
}

async function programsHere(): Promise<Bubblewrap | string> {
  if (process.platform !== "linux") return "only Linux has bubblewrap";
  const place = { cwd: "/", env: { PATH: systemPath } };
  const bwrap = findProgram("bwrap", place);
  if (!bwrap) return "the program bwrap (bubblewrap) was not found";
  const env = findProgram("env", place);
  if (!env || !(await namespacePrefix())) return "this system does not allow a PID namespace";
  return { bwrap, env };
}

/** Tries a sandbox out; returns why it failed, or null. */
async function whyNot({ words }: SandboxWords): Promise<string | null> {
  const namespace = (await namespacePrefix()) ?? [];
  return await tryOut([...namespace, ...sandboxFirstProcess, ...words]);
}
