import { readFileSync } from "node:fs";
import { findViewer, type Mount, type SandboxWords, viewWords } from "./bubblewrap.ts";
import { findProgram } from "./find-program.ts";
import {
  firstProcess,
  type IsolationLevel,
  keepingCapabilities,
  namespacePrefix,
  systemPath,
  tryOut,
} from "./isolation-probe.ts";
import { inheritedMark } from "./process-marks.ts";

/** The mounts of a view in which the rest of the system stays as it is. */
export type ViewMount = Exclude<Mount, { readonly kind: "link" | "hidden" }>;

/** A way to make views: the system as it is, but for some mounts that nothing inside can undo. */
export interface ViewMaker {
  readonly name: "bubblewrap" | "mount namespace";
  words(mounts: readonly ViewMount[]): SandboxWords;
}

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

const place = { cwd: "/", env: { PATH: systemPath } };
const isRoot = process.getuid?.() === 0;
/** Capabilities by which root could undo the mounts or enter other processes; other work needs none of them. */
const dropped = "-sys_admin,-mknod,-sys_ptrace,-sys_module,-sys_rawio,-dac_read_search";
const dropsOfRoot = ["--ambient-caps=-all", `--bounding-set=${dropped}`, "--inh-caps=-all"];

async function probe(): Promise<ViewMaker | string> {
  const bubblewrap = await bubblewrapViews();
  return typeof bubblewrap === "string" ? await mountViews() : bubblewrap;
}

async function bubblewrapViews(): Promise<ViewMaker | string> {
  const setpriv = findProgram("setpriv", place);
  if (!setpriv) return "the program setpriv (util-linux) was not found";
  const dropping = isRoot ? [setpriv, ...dropsOfRoot] : [];
  const viewer = await findViewer(dropping);
  if (typeof viewer === "string") return viewer;
  return { name: "bubblewrap", words: (mounts) => viewWords(viewer, mounts, dropping) };
}

/** Tries views out that are made by `mount`; the reason as text if the system does not allow them. */
export async function mountViews(): Promise<ViewMaker | string> {
  const namespace = await namespacePrefix();
  if (!namespace) return "this system does not allow a PID namespace";
  const [mount, setpriv] = [findProgram("mount", place), findProgram("setpriv", place)];
  if (!mount || !setpriv) return "the programs mount and setpriv (util-linux) were not found";
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
  const problem = await tryOut(start);
  return problem === null ? { name: "mount namespace", words } : problem;
}

/**
 * Commands of `/bin/sh` by which a namespace's first process makes the mounts that its arguments describe, up to `--`. A step
 * that fails ends it: nothing runs in half a view. At last it enters its folder again, below the new mounts.
 */
export const mountScript: string = `
mount=$1; shift;
while [ "$1" != -- ]; do
case $1 in
open) eval "exec $2<\\"\\$3\\"" ;;
bind) "$mount" -o "$2" "$3" "$3" ;;
put) "$mount" -c -o "$2,X-mount.mkdir" "/proc/self/fd/\${3%%:*}" "\${3#*:}" ;;
empty) "$mount" -t tmpfs -o "$2" tmpfs "$3" ;;
again) "$mount" -o "$2" "$3" ;;
close) eval "exec $2<&-" ;;
esac || { echo "ralph: the read-only view could not be made ($1 $3)" >&2; exit 125; };
shift 3;
done;
shift;
cd "$(pwd -P)" || exit 125;`;

/** Single digits, which every shell can redirect, after those that the program and its first process use. */
const descriptors = [4, 5, 6, 7, 8, 9];

/** Returns the arguments of `mountScript` for the mounts, in any order; `mount` is the program's path. */
function mountSteps(mount: string, mounts: readonly ViewMount[]): readonly string[] {
  const sorted = mounts.toSorted((a, b) => a.path.length - b.path.length);
  const covers = mounts.filter(({ kind }) => kind === "empty" || kind === "sealed");
  const isCovered = (path: string): boolean => covers.some((one) => path.startsWith(`${one.path}/`));
  const readOnly = mounts.filter(({ kind }) => kind === "read");
  const flags = lockedFlags();
  // A bind keeps what the mount that holds the path forbids, and that of a part of a read-only mount is read-only too.
  const again = ({ kind, path }: ViewMount, from: string): readonly string[] => {
    if (kind !== "read" && !readOnly.some((one) => path.startsWith(`${one.path}/`))) return [];
    const { locked, isReadOnly } = flags(from);
    return isReadOnly
      ? []
      : ["again", ["remount", "bind", kind === "read" ? "ro" : "rw", ...locked].join(), path];
  };
  const opened: string[] = [];
  const steps = sorted.flatMap((one): readonly string[] => {
    if (!("from" in one) && one.kind !== "pin") return ["empty", "mode=0755,nosuid,nodev", one.path];
    const from = "from" in one ? one.from : one.path;
    if (from === one.path && !isCovered(one.path)) return ["bind", "rbind", one.path, ...again(one, from)];
    // By then it can be below another mount.
    opened.push(from);
    return ["put", "rbind", `${descriptors[opened.length - 1]}:${one.path}`, ...again(one, from)];
  });
  if (opened.length > descriptors.length) throw new Error("too many mounts below empty folders");
  const numbered = opened.map((path, at) => [`${descriptors[at]}`, path] as const);
  return [
    mount,
    ...numbered.flatMap(([number, path]) => ["open", number, path]),
    ...steps,
    ...sorted.flatMap(({ kind, path }) => (kind === "sealed" ? ["again", "remount,ro", path] : [])),
    ...numbered.flatMap(([number, path]) => ["close", number, path]),
    "--",
  ];
}

/** Returns what the mount of a path forbids: in a user namespace nothing may take these flags away. */
function lockedFlags(): (path: string) => {
  readonly locked: readonly string[];
  readonly isReadOnly: boolean;
} {
  const table = readFileSync("/proc/self/mountinfo", "utf8");
  const mounts = table.split("\n").flatMap((line) => {
    const [, , , , point, options] = line.split(" ");
    if (point === undefined || options === undefined) return [];
    const path = point.replace(/\\(\d{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
    return [{ path: path === "/" ? "/" : `${path}/`, options: options.split(",") }];
  });
  return (path) => {
    const around = mounts.filter((one) => `${path}/`.startsWith(one.path));
    const { options = [] } = around.toSorted((a, b) => a.path.length - b.path.length).at(-1) ?? {};
    const locked = options.filter((one) => ["nosuid", "nodev", "noexec"].includes(one));
    return { locked, isReadOnly: options.includes("ro") };
  };
}
