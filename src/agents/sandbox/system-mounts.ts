import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { lookAt } from "../../base/careful-files.ts";
import type { Mount } from "../../process/bubblewrap.ts";

/** Read-only: programs, libraries and their settings, and what programs read to size their caches and threads. */
const folders = ["/usr", "/etc", "/opt", "/nix", "/gnu", "/run/current-system"];
const machine = ["/sys/devices/system/cpu", "/sys/fs/cgroup"];
/** Folders of their own, or links into `/usr`. */
const merged = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];
/** Root can read these. */
const secrets = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"];
const secretFolders = ["/etc/ssh"];

/** Returns the mounts of the system's own folders. */
export function systemMounts(): readonly Mount[] {
  const mounts: Mount[] = [...folders, ...machine].filter(exists).map(read);
  for (const path of merged.filter(exists)) {
    const isLink = lstatSync(path).isSymbolicLink();
    mounts.push(isLink ? { kind: "link", path, target: readlinkSync(path) } : read(path));
  }
  // Often a link to a file that a service writes.
  const names = realPath("/etc/resolv.conf");
  if (names !== null && !isBelow(names, "/etc")) mounts.push(read(names));
  for (const one of secrets.filter(exists).map((path): Mount => ({ kind: "hidden", path }))) mounts.push(one);
  for (const one of secretFolders.filter(exists).map((path): Mount => ({ kind: "sealed", path })))
    mounts.push(one);
  return mounts;
}

/** Returns true for `path` itself, and for what is below it. */
export function isBelow(inner: string, path: string): boolean {
  return inner === path || inner.startsWith(path.endsWith("/") ? path : `${path}/`);
}

/** Returns the path without links; null: it does not exist. */
export function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function exists(path: string): boolean {
  return lookAt(path) !== undefined;
}

function read(path: string): Mount {
  return { kind: "read", path, from: path };
}
