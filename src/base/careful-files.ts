import { constants, lstatSync, mkdirSync, type PathLike, readdirSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./errors.ts";

/**
 * Flags to open a path where another program can have put something else: a link is an error (`ELOOP`), and a pipe does not wait
 * for its other end. Whether it is a regular file is still to be looked at. 0 on Windows, which has neither.
 */
export const careful: number = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** `careful`, for reading. */
export const carefulRead: number = constants.O_RDONLY | careful;

/** The errors for a path at which nothing can be: missing, below a file, through a link to itself, with too long a name. */
const absent: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG"]);

/** Returns what is at `path`, without following a link; undefined: nothing. */
export function lookAt(path: PathLike): Stats | undefined {
  return look(lstatSync, path);
}

/** As `lookAt`, of what links lead to. */
export function lookThrough(path: PathLike): Stats | undefined {
  return look(statSync, path);
}

function look(stat: typeof lstatSync, path: PathLike): Stats | undefined {
  try {
    // Most often it is missing, and an error takes longer to make than the call itself.
    return stat(path, { throwIfNoEntry: false });
  } catch (error) {
    if (!absent.has(systemCode(error))) throw error;
  }
}

/** Returns the names in a folder; none if it cannot be read. Synchronous: a trip to the thread pool takes longer. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * Creates a folder and those above it, as `mkdir -p` does, by default closed to other users. Node's own way never ends, and
 * blocks its signals, where a link in the path leads into `/proc`.
 */
export function makeFolders(folder: string, mode = 0o700): void {
  const isThere = (): boolean => lookThrough(folder)?.isDirectory() === true;
  if (isThere()) return;
  const above = dirname(folder);
  if (above !== folder) makeFolders(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // By another process at the same moment.
    if (!isThere()) throw error;
  }
}
