import type { Stats } from "node:fs";
import { lookAt, lookThrough } from "../../base/careful-files.ts";

/** Identifies one state of a file: every write and rename changes its `ctime`, which only the machine's clock sets. */
export function fileStamp({ dev, ino, mode, size, mtimeMs, ctimeMs }: Stats): string {
  return `${dev} ${ino} ${mode} ${size} ${mtimeMs} ${ctimeMs}`;
}

/** Milliseconds. Two writes within one tick of the kernel's clock, at most 10 ms, leave the same times. */
const settledMs = 50;

interface Read<T> {
  readonly stamp: string;
  readonly value: T;
}

/**
 * Returns `read` with a memory: while the stat data of a file stay the same, it is not read again. A file that was written
 * a moment ago is not remembered. `stat` decides about links: `lstat` for the link itself, `stat` for what it leads to.
 * The values are shared: they must not be changed. Who has just looked at the file passes what was found.
 */
export function remembering<T>(
  stat: "lstat" | "stat",
  read: (path: string, stats: Stats | undefined) => T,
): (path: string, now?: Stats) => T {
  const known = new Map<string, Read<T>>();
  const look = stat === "lstat" ? lookAt : lookThrough;
  return (path, now) => {
    const stats = now ?? look(path);
    if (!stats) {
      known.delete(path);
      return read(path, undefined);
    }
    const stamp = fileStamp(stats);
    const found = known.get(path);
    if (found?.stamp === stamp) return found.value;
    const value = read(path, stats);
    if (Date.now() - stats.ctimeMs > settledMs) known.set(path, { stamp, value });
    else known.delete(path);
    return value;
  };
}
