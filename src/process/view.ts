import { findViewer, type SandboxWords, tryOut, viewWords } from "./bubblewrap.ts";
import { findProgram } from "./find-program.ts";
import { inheritedMark } from "./inherited-mark.ts";
import {
  firstProcess,
  type IsolationLevel,
  keepingCapabilities,
  namespacePrefix,
  systemPath,
} from "./isolation-probe.ts";
import { mountScript, mountSteps, type ViewMount } from "./mount-steps.ts";

/** A way to make views: the system as it is, but for some mounts that nothing inside can undo. */
export interface ViewMaker {
  readonly name: "bubblewrap" | "mount namespace";
  words(mounts: readonly ViewMount[]): SandboxWords;
}

export type { ViewMount } from "./mount-steps.ts";

let maker: Promise<ViewMaker | string> | undefined;

/**
 * Finds what makes views, by a trial run, once per process (10 ms): bubblewrap, which makes all mounts in one process, else
 * `mount` in a namespace; for root both without a user namespace, in which it could not write the files of others. Returns the
 * reason as text if the system allows neither.
 */
export async function findView(): Promise<ViewMaker | string> {
  maker ??= probe();
  return await maker;
}

/**
 * Returns the command prefix by which a program that another program starts ends together with its descendants: in a PID
 * namespace of its own, and marked, for `killMarked`; with `view`, in that view. Empty if the system allows nothing of it.
 */
export async function isolationPrefix(
  level: IsolationLevel,
  marker: string,
  view: SandboxWords | null,
): Promise<readonly string[]> {
  const namespace = level === "pid-namespace" ? await namespacePrefix() : undefined;
  const around = [...(await inheritedMark(marker)), ...(namespace ?? [])];
  if (!namespace || !view) return around;
  if (view.by !== "mounts") return [...around, ...view.words];
  return [...keepingCapabilities(around), "/bin/sh", "-c", `${mountScript} exec "$@"`, "sh", ...view.words];
}

/** Capabilities by which root could undo the mounts or enter other processes; other work needs none of them. */
const dropped = "-sys_admin,-mknod,-sys_ptrace,-sys_module,-sys_rawio,-dac_read_search";

async function probe(): Promise<ViewMaker | string> {
  const namespace = await namespacePrefix();
  if (!namespace) return "this system does not allow a PID namespace";
  const place = { cwd: "/", env: { PATH: systemPath } };
  const [mount, setpriv] = [findProgram("mount", place), findProgram("setpriv", place)];
  if (!mount || !setpriv) return "the programs mount and setpriv (util-linux) were not found";
  const isRoot = process.getuid?.() === 0;
  const dropsOfRoot = ["--ambient-caps=-all", `--bounding-set=${dropped}`, "--inh-caps=-all"];
  const viewer = await findViewer(isRoot ? [setpriv, ...dropsOfRoot] : []);
  if (typeof viewer !== "string") {
    const words = (mounts: readonly ViewMount[]): SandboxWords =>
      viewWords(viewer, mounts, isRoot ? [setpriv, ...dropsOfRoot] : []);
    return { name: "bubblewrap", words };
  }
  const dropping = isRoot ? dropsOfRoot : ["--ambient-caps=-all", "--inh-caps=-all", "--bounding-set=-all"];
  const words = (mounts: readonly ViewMount[]): SandboxWords => ({
    by: "mounts",
    words: [...mountSteps(mount, mounts), setpriv, ...dropping],
  });
  const trial = words([
    { kind: "read", path: "/usr", from: "/usr" },
    { kind: "sealed", path: "/tmp" },
  ]);
  const start = [...keepingCapabilities(namespace), ...firstProcess(mountScript), ...trial.words];
  const problem = await tryOut([...start, "/bin/sh", "-c", "exit 7"]);
  return problem === null ? { name: "mount namespace", words } : problem;
}
