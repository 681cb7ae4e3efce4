import type { Stats } from "node:fs";
import { lookAt } from "../../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../../base/errors.ts";

/**
 * Returns the size of the store's file, `undefined` when there is none. Refuses whatever SQLite would follow, overwrite
 * or mistake for a new database: folders, symbolic links, and a file that lost its data. Never opens the file: closing
 * it would release the locks that this process's own connections hold on it.
 */
export function inspectFile(path: string): number | undefined {
  for (const side of ["-wal", "-shm", "-journal"])
    refuseNonDatabase(`${path}${side}`, statOf(`${path}${side}`));
  const stats = statOf(path);
  refuseNonDatabase(path, stats);
  // SQLite deletes the write-ahead log of an empty database, and with it the data that could still be saved.
  if (stats?.size === 0 && sizeOf(`${path}-wal`) > 0) {
    throw corrupt(path, "is empty although its write-ahead log is not");
  }
  return stats?.size;
}

/** Returns the size of a file, 0 when there is none. */
function sizeOf(path: string): number {
  return statOf(path)?.size ?? 0;
}

function statOf(path: string): Stats | undefined {
  try {
    return lookAt(path);
  } catch (cause) {
    if (systemCode(cause) === "ENOTDIR") return undefined;
    throw new RalphError("RALPH_STORE_IO", `cannot inspect the store ${path}: ${messageOf(cause)}`, {
      hint: "check the path, and that you may read its folder",
      cause,
    });
  }
}

function refuseNonDatabase(path: string, stats: Stats | undefined): void {
  if (stats === undefined || stats.isFile()) return;
  const what = stats.isDirectory()
    ? "a folder"
    : stats.isSymbolicLink()
      ? "a symbolic link"
      : "not a regular file";
  throw new RalphError("RALPH_STORE_PATH", `the store ${path} is ${what}: expected a file`, {
    hint: "move it, or set `store:` in .ralph/config.yaml to the path of a file",
  });
}

function corrupt(path: string, why: string): RalphError {
  return new RalphError("RALPH_STORE_CORRUPT", `the store ${path} ${why}`, { hint: repairHint });
}

export const repairHint = "run `ralph doctor --repair`, which keeps a copy of this file";

/** Returns the identity (device and inode) of the file at `path`, or of the link; `undefined` when there is none. */
export function identityOf(path: string): string | undefined {
  const stats = lookAt(path);
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Returns true when the file that a connection has open, or its log, is no longer the one at its path. */
export function isCutOff(path: string, identity: string | undefined): boolean {
  return identityOf(path) !== identity || identityOf(`${path}-wal`) === undefined;
}
