import { statSync } from "node:fs";

/** Which file stands at `path`; undefined when none does. */
export function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** Whether the file that a connection has open, or its log, is no longer what stands there. */
export function isCutOff(path: string, identity: string | undefined): boolean {
  return identityOf(path) !== identity || identityOf(`${path}-wal`) === undefined;
}
