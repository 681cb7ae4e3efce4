import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  type Dirent,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileStamp, remembering } from "../git/file-stamp.ts";

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
export const snapshotFile: (path: string) => FileSnapshot = remembering("lstat", (path, stats) => {
  if (!stats) return { kind: "absent" };
  if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(path) };
  if (stats.isDirectory()) return { kind: "folder", mode: stats.mode & 0o7777 };
  // Reading a pipe or a device would block.
  if (!stats.isFile() || stats.size > maxKeptBytes) return { kind: "other", stamp: fileStamp(stats) };
  return { kind: "file", base64: readFileSync(path, "base64"), mode: stats.mode & 0o7777 };
});

/** Returns true when both are snapshots of the same state. */
export function isSameSnapshot(one: FileSnapshot | null, other: FileSnapshot | null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Restores `path`; returns false if it is unchanged, or too large to be kept. The parent must be a real folder. */
export function restoreFile(path: string, before: FileSnapshot): boolean {
  const now = snapshotFile(path);
  if (before.kind === "other" || isSameSnapshot(now, before)) return false;
  if (now.kind === "folder" && before.kind === "folder") return false;
  if (before.kind !== "file" || now.kind !== "file") removeTree(path);
  if (before.kind === "folder") mkdirSync(path, { mode: before.mode });
  else if (before.kind === "link") symlinkSync(before.target, path);
  else if (before.kind === "file") writeWhole(path, Buffer.from(before.base64, "base64"), before.mode);
  return true;
}

/** Characters. What is deeper is not listed: the system refuses paths of more than 4,096 bytes. */
const maxListedPath = 1000;
/** Characters. The system looks up each part of a path, so that short ones are far faster. */
const maxPartPath = 250;

/** Returns the paths in a folder, relative to it, except very deep ones; none if it is not a real folder or closed to us. */
export function listFolder(folder: string): string[] {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    const below = entry.isDirectory() && path.length < maxListedPath ? listFolder(path) : [];
    return [entry.name, ...below.map((name) => join(entry.name, name))];
  });
}

function entriesOf(folder: string): Dirent[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}

/** Removes a file or folder, also one that is closed to us, or deeper than paths can be. Does not follow links. */
function removeTree(path: string): void {
  // First: to fail at the limit takes seconds.
  for (const part of [...splitDeep(path), path]) {
    try {
      rmSync(part, { recursive: true, force: true });
    } catch {
      openFolders(part);
      rmSync(part, { recursive: true, force: true });
    }
  }
}

/** Lets the owner into each folder that a path reaches. */
function openFolders(folder: string): void {
  if (folder.length > maxListedPath || !lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(folder, 0o700);
  for (const entry of entriesOf(folder)) if (entry.isDirectory()) openFolders(join(folder, entry.name));
}

/** Moves what is too deep for a path beside the folder, in parts that are not; returns these. */
function splitDeep(path: string): readonly string[] {
  const parts: string[] = [];
  for (let deep = deepFolder(path); deep !== undefined; deep = deepFolder(parts.at(-1) ?? path)) {
    const part = `${path}.ralph-${randomBytes(6).toString("hex")}`;
    renameSync(deep, part);
    parts.push(part);
  }
  return parts;
}

/** Returns a deep folder, far from the limit of paths; undefined if the first folders in each other end before. */
function deepFolder(path: string): string | undefined {
  let at = path;
  while (at.length < path.length + maxPartPath) {
    const next = entriesOf(at).find((entry) => entry.isDirectory() && existsSync(join(at, entry.name)));
    if (!next) return undefined;
    at = join(at, next.name);
  }
  return at;
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
