import { chmodSync, copyFileSync, cpSync, mkdirSync, renameSync, rmSync, type Stats } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lookAt, makeFolders } from "../../base/careful-files.ts";
import { systemCode } from "../../base/errors.ts";
import type { Workspace } from "../workspace.ts";

/** Bytes of one file. */
const maxBytes = 64 * 1024 * 1024;
/** Characters. The system refuses paths of more than 4,096 bytes. */
const maxPath = 1000;

/** A place for what an agent made: `name` below the folder `keepIn`, which only its owner may read. */
export interface Aside {
  readonly keepIn: string;
  readonly name: string;
  /** The copy that was made there. */
  readonly copy?: string | undefined;
}

/** Returns the place of a file of git, of the project or of the user. */
export function asideOf(ws: Workspace, path: string, keepIn: string): Aside {
  return { keepIn, name: relative(ws.commonDir, path).replaceAll("..", "up") };
}

/**
 * Copies a file or folder that an agent made, without following links. Leaves out what has no content to keep or would keep
 * ralph busy: pipes, sockets and devices, files above 64 MiB, very deep folders, and names that are no UTF-8. Returns the
 * copy; undefined if nothing is copied.
 */
export function copyAside(path: string, aside: Aside): string | undefined {
  if (!isKept(lookAt(path))) return undefined;
  const copy = placeFor(aside);
  const filter = (from: string, to: string): boolean =>
    Math.max(from.length, to.length) < maxPath && isKept(lookAt(from));
  try {
    cpSync(path, copy, { recursive: true, verbatimSymlinks: true, force: true, filter });
  } catch (error) {
    // Closed to us: what was copied until then is kept.
    if (systemCode(error) === undefined) throw error;
  }
  return lookAt(copy) && copy;
}

/** Copies what is at `path`, a file of the user; moves a file that is too large to be copied. Returns where a folder goes. */
export function setAside(ws: Workspace, path: string, keepIn: string): Aside {
  const aside = asideOf(ws, path, keepIn);
  const found = lookAt(path);
  const isLarge = found?.isFile() === true && found.size > maxBytes;
  return { ...aside, copy: isLarge ? moveFile(path, placeFor(aside)) : copyAside(path, aside) };
}

function moveFile(path: string, to: string): string {
  try {
    renameSync(path, to);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
    copyFileSync(path, to);
    rmSync(path);
  }
  return to;
}

/** Moves a folder that an agent made: one step, however deep and large it is. Returns its new path. */
export function moveAside(path: string | Buffer, aside: Aside): string {
  const copy = placeFor(aside);
  // The system moves no folder that its owner may not write.
  chmodSync(path, 0o700);
  try {
    renameSync(path, copy);
  } catch (error) {
    if (systemCode(error) !== "EXDEV") throw error;
    copyAside(path.toString(), aside);
    rmSync(path, { recursive: true, force: true });
  }
  return copy;
}

/** Returns a free path, in folders that are made. An agent may have put links there, which would lead elsewhere. */
function placeFor({ keepIn, name }: Aside): string {
  makeFolders(keepIn);
  let folder = keepIn;
  for (const part of dirname(name).split("/")) {
    folder = join(folder, part);
    const found = lookAt(folder);
    if (found?.isDirectory()) continue;
    if (found) rmSync(folder);
    mkdirSync(folder, { mode: 0o700 });
  }
  const path = join(keepIn, name);
  const isTaken = (one: string): boolean => lookAt(one) !== undefined;
  if (!isTaken(path)) return path;
  for (let n = 2; ; n++) if (!isTaken(`${path}.${n}`)) return `${path}.${n}`;
}

/** A name that is not UTF-8 has no stats. */
function isKept(stats: Stats | undefined): boolean {
  if (!stats) return false;
  return stats.isDirectory() || stats.isSymbolicLink() || (stats.isFile() && stats.size <= maxBytes);
}
