import type { Mount } from "./bubblewrap.ts";

/** The mounts of a view in which the rest of the system stays as it is. */
export type ViewMount = Exclude<Mount, { readonly kind: "link" | "hidden" }>;

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
seal) "$mount" -o "$2" "$3" ;;
close) eval "exec $2<&-" ;;
esac || { echo "ralph: the read-only view could not be made ($1 $3)" >&2; exit 125; };
shift 3;
done;
shift;
cd "$(pwd -P)" || exit 125;`;

/** Single digits, which every shell can redirect, after those that the program and its first process use. */
const descriptors = [4, 5, 6, 7, 8, 9];

/** Returns the arguments of `mountScript` for the mounts, in any order; `mount` is the program's path. */
export function mountSteps(mount: string, mounts: readonly ViewMount[]): readonly string[] {
  const sorted = mounts.toSorted((a, b) => a.path.length - b.path.length);
  const covers = mounts.filter(({ kind }) => kind === "empty" || kind === "sealed");
  const isCovered = (path: string): boolean => covers.some((one) => path.startsWith(`${one.path}/`));
  const opened: string[] = [];
  const steps = sorted.flatMap((one): readonly string[] => {
    if (!("from" in one) && one.kind !== "pin") return ["empty", "mode=0755,nosuid,nodev", one.path];
    const options = one.kind === "read" ? "rbind,ro" : "rbind";
    const from = "from" in one ? one.from : one.path;
    if (from === one.path && !isCovered(one.path)) return ["bind", options, one.path];
    // By then it can be below another mount.
    opened.push(from);
    return ["put", options, `${descriptors[opened.length - 1]}:${one.path}`];
  });
  if (opened.length > descriptors.length) throw new Error("too many mounts below empty folders");
  const numbered = opened.map((path, at) => [`${descriptors[at]}`, path] as const);
  return [
    mount,
    ...numbered.flatMap(([number, path]) => ["open", number, path]),
    ...steps,
    ...sorted.flatMap(({ kind, path }) => (kind === "sealed" ? ["seal", "remount,ro", path] : [])),
    ...numbered.flatMap(([number, path]) => ["close", number, path]),
    "--",
  ];
}
