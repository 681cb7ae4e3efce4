import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  type Dirent,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { lookAt } from "../../base/careful-files.ts";
import { fileStamp, remembering } from "../git/file-stamp.ts";
import { pathKind } from "../git/paths.ts";
import { type Aside, moveAside } from "./keep-copies.ts";

/** The former content of a path, as JSON that survives the process. */
export type FileSnapshot =
  | { readonly kind: "absent" }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly base64: string; readonly mode: number }
  /** A pipe, a socket, a device, or a file that is too large to keep. */
  | { readonly kind: "other"; readonly stamp: string };

/** Bytes. */
const maxKeptBytes = 64 * 1024 * 1024;

/** Returns a snapshot of `path` without following a link. Reads no file whose stat data are as at the last call. */
export const snapshotFile: (path: string, now?: Stats) => FileSnapshot = remembering(
  "lstat",
  (path, stats) => {
    if (!stats) return { kind: "absent" };
    if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(path) };
    if (stats.isDirectory()) return { kind: "folder", mode: stats.mode & 0o7777 };
    // Reading a pipe or a device would block.
    if (!stats.isFile() || stats.size > maxKeptBytes) return { kind: "other", stamp: fileStamp(stats) };
    return { kind: "file", base64: readFileSync(path, "base64"), mode: stats.mode & 0o7777 };
  },
);

/** Returns what is at `path`, without following a link and without reading it. */
export function kindOf(path: string): FileSnapshot["kind"] {
  const stats = pathKind(path);
  if (!stats) return "absent";
  if (stats.isSymbolicLink()) return "link";
  if (stats.isDirectory()) return "folder";
  return stats.isFile() ? "file" : "other";
}

/** Returns true when `path` is as in the snapshot. Reads no file of another size: an agent may have made it very large. */
export function isUnchanged(path: string, was: FileSnapshot): boolean {
  const stats = pathKind(path);
  // Below a file, nothing is there.
  if (!stats) return was.kind === "absent";
  if (stats.isFile() && stats.size <= maxKeptBytes && stats.size !== keptBytes(was)) return false;
  return isSameSnapshot(snapshotFile(path, stats), was);
}

/** Returns the size of the file; -1 if the snapshot has none. */
export function keptBytes(was: FileSnapshot): number {
  return was.kind === "file" ? Buffer.byteLength(was.base64, "base64") : -1;
}

/** Returns true when both are snapshots of the same state. */
export function isSameSnapshot(one: FileSnapshot | null, other: FileSnapshot | null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/**
 * Restores `path`; returns false if it is unchanged, or too large to be kept. The parent must be a real folder. A folder in
 * its place is moved to `aside`.
 */
export function restoreFile(path: string, before: FileSnapshot, aside: Aside): boolean {
  if (before.kind === "other" || isUnchanged(path, before)) return false;
  const now = kindOf(path);
  if (now === "folder" && before.kind === "folder") return false;
  if (before.kind !== "file" || now !== "file") removeAdded(path, aside);
  if (before.kind === "folder") mkdirSync(path, { mode: before.mode });
  else if (before.kind === "link") symlinkSync(before.target, path);
  else if (before.kind === "file") writeWhole(path, Buffer.from(before.base64, "base64"), before.mode);
  return true;
}

/** Characters. What is deeper is not listed: the system refuses paths of more than 4,096 bytes. */
const maxListedPath = 1000;
/** Returns the paths in a folder, relative to it, except very deep ones; none if it is not a real folder or closed to us. */
export function listFolder(folder: string): string[] {
  const names: string[] = [];
  const list = (at: string, prefix: string): void => {
    for (const entry of entriesOf(at)) {
      const name = `${prefix}${entry.name}`;
      names.push(name);
      if (entry.isDirectory() && at.length < maxListedPath) list(`${at}/${entry.name}`, `${name}/`);
    }
  };
  list(folder, "");
  return names;
}

/** The maximum number of added entries of one folder that are treated one by one. */
const maxAdded = 500;

/**
 * Returns the full paths of what a folder has besides `known`, full paths too, as bytes where a name is not UTF-8. Looks into known
 * folders only, and a folder to which very much was added is returned itself: its known entries must be restored.
 */
export function listAdded(folder: string, known: (path: string) => boolean): (string | Buffer)[] {
  const below: (string | Buffer)[] = [];
  const added: (string | Buffer)[] = [];
  for (const { name: bytes, isFolder } of namesIn(folder)) {
    const name = bytes.toString("utf8");
    const path = `${folder}/${name}`;
    if (!Buffer.from(name, "utf8").equals(bytes))
      added.push(Buffer.concat([Buffer.from(`${folder}/`), bytes]));
    else if (!known(path)) added.push(path);
    else if (isFolder) for (const one of listAdded(path, known)) below.push(one);
    if (added.length > maxAdded) return [folder];
  }
  return [...added, ...below];
}

/** Removes what an agent added; a folder is moved to `aside`. */
export function removeAdded(path: string | Buffer, aside: Aside): void {
  if (lookAt(path)?.isDirectory()) moveAside(path, aside);
  else rmSync(path, { force: true });
}

function namesIn(folder: string): { readonly name: Buffer; readonly isFolder: boolean }[] {
  try {
    if (!lstatSync(folder).isDirectory()) return [];
    const entries = readdirSync(folder, { encoding: "buffer", withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }));
  } catch {
    return [];
  }
}

/** Returns nothing for what is missing, a link, or closed to us. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}

function writeWhole(path: string, bytes: Buffer, mode: number): void {
  const temporary = `${path}.ralph-${randomBytes(6).toString("hex")}`;
  const file = openSync(temporary, "wx", 0o600);
  try {
    writeFileSync(file, bytes);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  chmodSync(temporary, mode);
  renameSync(temporary, path);
}
