import { accessSync, constants, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { lookAt } from "../../base/careful-files.ts";
import type { ViewMount } from "../../process/view.ts";
import { isBelow } from "./system-mounts.ts";

/** The places that no program inside may change. Paths are absolute and without links; the folders exist. */
export interface ProtectedPlaces {
  /** The top of the work tree and the git folders. */
  readonly project: readonly string[];
  /** ralph's folder in the project. */
  readonly store: string;
  /** The folders of git's hooks that are not in the work tree. */
  readonly hooks: readonly string[];
}

/**
 * Returns the mounts that keep ralph's folder read-only, without its temporary files but for those in `shown`, and give git's hooks
 * a copy that ends with the program. No folder around them can be renamed.
 */
export function projectMounts(
  { project, store, hooks }: ProtectedPlaces,
  shown: readonly string[],
): readonly ViewMount[] {
  const temporary = join(store, "tmp");
  const [top = ""] = project;
  const link = join(top, ".git");
  return [
    { kind: "read", path: store, from: store },
    { kind: "sealed", path: temporary },
    ...shownIn([temporary], shown),
    ...hooks.map((path): ViewMount => ({ kind: "empty", path })),
    ...copiesOf(store, hooks).map(({ from, to }): ViewMount => ({ kind: "read", path: from, from: to })),
    // The file of a separate git folder, in place of which another could be put.
    ...(lookAt(link)?.isFile() ? [{ kind: "read", path: link, from: link } as const] : []),
  ];
}

/** Returns the mounts that show paths below folders that are empty otherwise. */
export function shownIn(folders: readonly string[], shown: readonly string[]): readonly ViewMount[] {
  const inside = shown.filter((path) =>
    folders.some((folder) => path !== folder && isBelow(path, folder) && lookAt(path)),
  );
  return [...new Set(inside)].map((path) => ({ kind: "write", path, from: path }));
}

/**
 * Returns the mounts without which a folder around one of `paths` could be renamed, so that another took its place: folders that
 * this user may rename, except mount points, which nobody can.
 */
export function pins(paths: readonly string[]): readonly ViewMount[] {
  const around = new Set(paths.flatMap(foldersAround));
  return [...around].filter(isRenameable).map((path) => ({ kind: "pin", path }));
}

/** Returns the words before a program that copy the hooks into their place; none where there are none. */
export function hookCopying({ store, hooks }: ProtectedPlaces): readonly string[] {
  const copies = copiesOf(store, hooks).filter(({ to }) => hasHooks(to));
  if (copies.length === 0) return [];
  const script = 'while [ "$1" != -- ]; do cp -R "$1/." "$2" 2>/dev/null; shift 2; done; shift; exec "$@"';
  return ["/bin/sh", "-c", script, "sh", ...copies.flatMap(({ from, to }) => [from, to]), "--"];
}

/** Where the originals are shown, and where their copies belong. */
function copiesOf(store: string, hooks: readonly string[]): readonly { from: string; to: string }[] {
  return hooks.map((to, index) => ({ from: join(store, "tmp", `hooks-${index}`), to }));
}

function hasHooks(folder: string): boolean {
  return readdirSync(folder).some((name) => !name.endsWith(".sample"));
}

function foldersAround(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAround(above)];
}

function isRenameable(path: string): boolean {
  const above = dirname(path);
  if (above === path || lookAt(path)?.dev !== lookAt(above)?.dev) return false;
  try {
    accessSync(above, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
