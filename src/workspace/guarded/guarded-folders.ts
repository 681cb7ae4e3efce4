import { chmodSync, lstatSync, realpathSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { lookAt } from "../../base/careful-files.ts";
import { fileStamp } from "../git/file-stamp.ts";
import { type Aside, copyAside } from "./keep-copies.ts";
import {
  type FileSnapshot,
  isSameSnapshot,
  listAdded,
  listFolder,
  removeAdded,
  restoreFile,
  snapshotFile,
} from "./remembered.ts";

/** Bytes. The content of larger files is not kept in memory: their changes stay and are reported. */
const maxFileBytes = 1024 * 1024;
const maxTotalBytes = 32 * 1024 * 1024;

interface Entry {
  /** Relative to the root. */
  readonly path: string;
  /** Changes with every write of a file and every change of a link. */
  readonly stamp: string;
  /** Null: too large to keep. */
  readonly was: FileSnapshot | null;
}

/** Folders of the project with all that is in them. In memory: after a kill nothing of it is known. */
export interface FolderGuard {
  /** Relative to the root. */
  readonly folders: readonly string[];
  /** Paths above them at which something was, relative to the root. */
  readonly above: ReadonlySet<string>;
  /** Folders come before their entries. */
  readonly entries: readonly Entry[];
}

/** Takes a snapshot of folders, which may be missing. Follows no link. Starts no process. */
export function guardFolders(root: string, folders: readonly string[]): FolderGuard {
  let left = maxTotalBytes;
  const paths = folders.flatMap((folder) => {
    // What is below a link belongs to the folder that it leads to.
    return isReal(root, dirname(folder)) ? [...parentsOf(folder), ...pathsIn(root, folder)] : [];
  });
  const entries = [...new Set(paths)].map((path): Entry => {
    const full = join(root, path);
    const size = lookAt(full)?.size ?? 0;
    const stamp = stampOf(full);
    if (size > maxFileBytes || size > left) return { path, stamp, was: null };
    left -= size;
    return { path, stamp, was: readSnapshot(full) };
  });
  const above = folders.flatMap(parentsOf).filter((path) => lookAt(join(root, path)));
  return { folders, above: new Set(above), entries };
}

/** Returns null for a file that cannot be read. */
function readSnapshot(path: string): FileSnapshot | null {
  try {
    return snapshotFile(path);
  } catch {
    return null;
  }
}

/** Returns the folders above, the outermost first. */
function parentsOf(folder: string): readonly string[] {
  const parts = folder.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

export interface RestoredFolders {
  /** The changed and added paths that were put back, relative to the root. */
  readonly restored: readonly string[];
  /** Changed paths that stay, because they are too large to keep. */
  readonly changed: readonly string[];
}

/** Restores guarded folders after keeping what differs in the folder `keepIn`. */
export function restoreFolders(root: string, guard: FolderGuard, keepIn: string): RestoredFolders {
  const present = guard.entries.filter(({ was }) => was?.kind !== "absent");
  const known = new Set(present.map(({ path }) => join(root, path)));
  const added = guard.folders.flatMap((folder) => {
    const full = join(root, folder);
    if (!isReal(root, dirname(folder))) return [];
    if (known.has(full)) return listAdded(full, (path) => known.has(path));
    return lookAt(full) ? [full] : [];
  });
  const inTheWay = [...new Set(guard.folders.flatMap(parentsOf))].filter(
    (path) => !guard.above.has(path) && isOther(join(root, path)),
  );
  const removed = [...inTheWay.map((path) => join(root, path)), ...added].map((path) =>
    removeFrom(root, path, keepIn),
  );
  const restored: string[] = [];
  const changed: string[] = [];
  const back = (path: string, was: FileSnapshot): void => {
    // A link in the path would lead to files that are not the project's.
    if (!isReal(root, dirname(path))) return;
    const full = join(root, path);
    if (isAs(full, was)) return;
    const aside = { keepIn, name: path };
    if (!isFolder(full)) keep(full, aside);
    if (restoreFile(full, was, aside)) restored.push(path);
  };
  for (const { path, stamp, was } of guard.entries) {
    if (stampOf(join(root, path)) === stamp) continue;
    if (was) back(path, was);
    else changed.push(path);
  }
  return { restored: [...new Set([...restored, ...removed])], changed };
}

/** Removes what an agent added; returns its path, relative to the root. */
function removeFrom(root: string, path: string | Buffer, keepIn: string): string {
  const name = relative(root, path.toString());
  const aside = { keepIn, name };
  if (typeof path === "string" && !isFolder(path)) keep(path, aside);
  removeAdded(path, aside);
  return name;
}

/** Returns the folder and all that is in it. A folder of a skill that was added is named once. */
function pathsIn(root: string, folder: string): readonly string[] {
  return [folder, ...listFolder(join(root, folder)).map((name) => `${folder}/${name}`)];
}

function isReal(root: string, folder: string): boolean {
  try {
    const real = realpathSync.native(root);
    return realpathSync.native(join(root, folder)) === (folder === "." ? real : join(real, folder));
  } catch {
    // Missing: nothing is below it, and there is nothing to restore into.
    return false;
  }
}

function stampOf(path: string): string {
  const found = lookAt(path);
  if (!found) return "absent";
  // The times of a folder change with its entries, which have stamps of their own.
  if (found.isDirectory()) return `folder ${found.mode}`;
  return fileStamp(found);
}

/** A restored file has a new stamp. */
function isAs(path: string, was: FileSnapshot): boolean {
  const now = readSnapshot(path);
  return (now?.kind === "folder" && was.kind === "folder") || isSameSnapshot(now, was);
}

function isFolder(path: string): boolean {
  return lookAt(path)?.isDirectory() === true;
}

/** A file, a link or a pipe. */
function isOther(path: string): boolean {
  return lookAt(path)?.isDirectory() === false;
}

/** A copy has the mode of its original, but only its owner may read what ralph keeps. */
function keep(path: string, aside: Aside): void {
  const copy = copyAside(path, aside);
  if (copy !== undefined && !lstatSync(copy).isSymbolicLink()) chmodSync(copy, 0o600);
}
