import { randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
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
import { remembering } from "../git/file-stamp.ts";

/** The former content of a path, as JSON that survives the process. */
export type FileSnapshot =
  | { readonly kind: "absent" }
  | { readonly kind: "folder"; readonly mode: number }
  | { readonly kind: "link"; readonly target: string }
  | { readonly kind: "file"; readonly base64: string; readonly mode: number };

/** Returns a snapshot of `path` without following a link. Reads no file whose stat data are as at the last call. */
export const snapshotFile: (path: string) => FileSnapshot = remembering("lstat", (path, stats) => {
  if (!stats) return { kind: "absent" };
  if (stats.isSymbolicLink()) return { kind: "link", target: readlinkSync(path) };
  if (stats.isDirectory()) return { kind: "folder", mode: stats.mode & 0o7777 };
  // Reading a pipe or a device would block; a change shows in its kind.
  const bytes = stats.isFile() ? readFileSync(path) : Buffer.alloc(0);
  return { kind: "file", base64: bytes.toString("base64"), mode: stats.mode & 0o7777 };
});

/** Returns true when both are snapshots of the same state. */
export function isSameSnapshot(one: FileSnapshot | null, other: FileSnapshot | null): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

/** Restores `path`; returns false if it is unchanged. The parent must be a real folder. */
export function restoreFile(path: string, before: FileSnapshot): boolean {
  const now = snapshotFile(path);
  if (now.kind === "folder" && before.kind === "folder") return false;
  const isFileStill = now.kind === "file" && lstatSync(path).isFile();
  if (isSameSnapshot(now, before) && (now.kind !== "file" || isFileStill)) return false;
  if (before.kind !== "file" || !isFileStill) rmSync(path, { recursive: true, force: true });
  if (before.kind === "folder") mkdirSync(path, { mode: before.mode });
  else if (before.kind === "link") symlinkSync(before.target, path);
  else if (before.kind === "file") writeWhole(path, Buffer.from(before.base64, "base64"), before.mode);
  return true;
}

/** Returns all paths in a folder, at any depth, relative to it; none if it is not a real folder. */
export function listFolder(folder: string): string[] {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const below = entry.isDirectory() ? listFolder(join(folder, entry.name)) : [];
    return [entry.name, ...below.map((name) => join(entry.name, name))];
  });
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
