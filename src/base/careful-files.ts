import { constants, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Flags to open a path where another program can have put something else: a link is an error (`ELOOP`), and a pipe does not wait
 * for its other end. Whether it is a regular file is still to be looked at. 0 on Windows, which has neither.
 */
export const careful: number = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** `careful`, for reading. */
export const carefulRead: number = constants.O_RDONLY | careful;

/**
 * Creates a folder and those above it, as `mkdir -p` does, by default closed to other users. Node's own way never ends, and
 * blocks its signals, where a link in the path leads into `/proc`.
 */
export function makeFolders(folder: string, mode = 0o700): void {
  if (isFolder(folder)) return;
  const above = dirname(folder);
  if (above !== folder) makeFolders(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // By another process at the same moment.
    if (!isFolder(folder)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
