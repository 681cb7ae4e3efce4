import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Mount } from "../../process/bubblewrap.ts";
import { lockedMounts } from "./locked-paths.ts";
import { isBelow, realPath } from "./system-mounts.ts";

/** The parts of a sandbox's view, by the reason why they are visible. Paths are absolute; those that do not exist are left out. */
export interface ViewParts {
  readonly system: readonly Mount[];
  readonly home: string;
  /** Folders that exist as empty ones. */
  readonly sealed: readonly string[];
  /** The project and everything else that may be written. */
  readonly written: readonly string[];
  /** Read-only, even inside a written folder. */
  readonly read: readonly string[];
  /** Read-only, unless it is visible anyway. Never the home itself or a folder around it. */
  readonly programs: readonly string[];
  /** Programs that stay read-only inside a written folder. Without links. */
  readonly locked: readonly string[];
}

/**
 * Returns the mounts of a view. A link that a session could have planted in a written folder is never followed.
 *
 * @throws RalphError `RALPH_ISOLATION_PROGRAMS`
 */
export function composeView({
  system,
  home,
  sealed,
  written,
  read,
  programs,
  locked,
}: ViewParts): readonly Mount[] {
  const mounts: Mount[] = [...system, ...(home === "/" ? [] : [{ kind: "empty", path: home } as const])];
  const writable = [...new Set(written)].filter(existsSync);
  const visible = [...writable, ...system.map(({ path }) => path)];
  // Without those that this user may not enter, which cannot be mounted.
  for (const path of [...new Set(programs)].filter(existsSync)) {
    const isVisible = visible.some((shown) => isBelow(path, shown)) && !isBelow(path, home);
    if (isVisible || writable.some((shown) => isBelow(path, shown)) || isBelow(home, path)) continue;
    mounts.push({ kind: "read", path, from: path });
  }
  const mayShow = (path: string): boolean => !isPlanted(path, writable);
  for (const path of writable.filter(mayShow)) mounts.push({ kind: "write", path, from: path });
  for (const mount of lockedMounts(locked, writable)) mounts.push(mount);
  for (const path of [...new Set(read)].filter(existsSync).filter(mayShow))
    mounts.push({ kind: "read", path, from: path });
  return [...mounts, ...sealed.map((path): Mount => ({ kind: "sealed", path }))];
}

/** Returns true for a path below a writable folder that leads elsewhere through a link. */
function isPlanted(path: string, writable: readonly string[]): boolean {
  return writable.some((folder) => {
    if (path === folder || !isBelow(path, folder)) return false;
    const real = realPath(folder);
    return real === null || realPath(path) !== `${real}/${relative(folder, path)}`;
  });
}
