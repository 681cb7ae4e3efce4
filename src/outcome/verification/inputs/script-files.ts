import { readdirSync, readFileSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { lookAt, lookThrough } from "../../../base/careful-files.ts";

/** Larger files are watched, but not searched. */
const maxScriptBytes = 1024 * 1024;

/** Returns the stat data; nothing for what is missing, and for what is in a folder that we may not enter. */
export function statOf(path: string): Stats | undefined {
  try {
    return lookAt(path);
  } catch {
    return undefined;
  }
}

/** Returns the path without links; nothing for a link to nothing. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    // A link to nothing.
    return undefined;
  }
}

/** Returns the names in a folder; none if it cannot be read. */
export function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Missing or unreadable: nothing is read there.
    return [];
  }
}

/** Returns the folder and those above it, the nearest first. */
export function ancestors(folder: string): readonly string[] {
  const all = [folder];
  for (let at = folder; dirname(at) !== at && all.length < 20; at = dirname(at)) all.push(dirname(at));
  return all;
}

/** Returns true for a regular file, and a link to one. */
export function isFile(path: string): boolean {
  try {
    return lookThrough(path)?.isFile() === true;
  } catch {
    return false;
  }
}

/** Returns true for such a file that its owner may execute. */
export function isExecutable(path: string): boolean {
  return isFile(path) && (statSync(path).mode & 0o100) !== 0;
}

/** Returns the text of a file; empty if it cannot be read, or is too large to be searched for what it calls. */
export function textOf(path: string): string {
  try {
    return statSync(path).size > maxScriptBytes ? "" : readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Returns true for a folder, and a link to one. */
export function isFolder(path: string): boolean {
  try {
    return lookThrough(path)?.isDirectory() === true;
  } catch {
    return false;
  }
}
