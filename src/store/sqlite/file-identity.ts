import { lookAt } from "../../base/careful-files.ts";

/** Returns the identity (device and inode) of the file at `path`, or of the link; `undefined` when there is none. */
export function identityOf(path: string): string | undefined {
  const stats = lookAt(path);
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Returns true when the file that a connection has open, or its log, is no longer the one at its path. */
export function isCutOff(path: string, identity: string | undefined): boolean {
  return identityOf(path) !== identity || identityOf(`${path}-wal`) === undefined;
}
