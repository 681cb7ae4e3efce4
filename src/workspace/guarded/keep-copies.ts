import { cpSync, lstatSync, mkdirSync, type Stats } from "node:fs";
import { dirname, join, relative } from "node:path";
import { systemCode } from "../../base/errors.ts";
import type { Workspace } from "../workspace.ts";

/** Bytes of one file. */
const maxBytes = 64 * 1024 * 1024;
/** Characters. The system refuses paths of more than 4,096 bytes. */
const maxPath = 1000;

/** Copies what is at these paths to the folder `keepIn`, which only its owner may read. */
export function keepCopies(ws: Workspace, paths: readonly string[], keepIn: string): void {
  for (const path of paths)
    copyAside(path, join(keepIn, relative(ws.commonDir, path).replaceAll("..", "up")));
}

/**
 * Copies a file or folder that an agent made, without following links. Leaves out what has no content to keep or would keep
 * ralph busy: pipes, sockets and devices, files above 64 MiB, very deep folders, and names that are no UTF-8. Returns false if nothing is copied.
 */
export function copyAside(path: string, copy: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!isKept(found)) return false;
  mkdirSync(dirname(copy), { recursive: true, mode: 0o700 });
  const filter = (from: string, to: string): boolean =>
    Math.max(from.length, to.length) < maxPath && isKept(lstatSync(from, { throwIfNoEntry: false }));
  try {
    cpSync(path, copy, { recursive: true, verbatimSymlinks: true, force: true, filter });
  } catch (error) {
    // Closed to us: what was copied until then is kept.
    if (systemCode(error) === undefined) throw error;
  }
  return lstatSync(copy, { throwIfNoEntry: false }) !== undefined;
}

/** A name that is no UTF-8 has no stats. */
function isKept(stats: Stats | undefined): boolean {
  if (!stats) return false;
  return stats.isDirectory() || stats.isSymbolicLink() || (stats.isFile() && stats.size <= maxBytes);
}
