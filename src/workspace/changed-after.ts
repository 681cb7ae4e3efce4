import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Workspace } from "./workspace.ts";

/**
 * Those of `paths` (relative to the project root) that changed at a time, in nanoseconds since 1970, that `isLate`
 * accepts. Decides by the inode's time of change, which no program can set, unlike the time of modification. A path
 * that is gone has the time at which its folder last gained or lost an entry.
 */
export async function changedAfter(
  ws: Workspace,
  paths: readonly string[],
  isLate: (ns: bigint) => boolean,
): Promise<string[]> {
  const late = await Promise.all(paths.map(async (path) => isLate(await timeOfChange(ws.root, path))));
  return paths.filter((_, index) => late[index]);
}

async function timeOfChange(root: string, path: string): Promise<bigint> {
  const stats = await lstat(join(root, path), { bigint: true }).catch(() => undefined);
  if (stats) return stats.ctimeNs;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const above = await lstat(join(root, folder), { bigint: true }).catch(() => undefined);
    if (above) return above.mtimeNs;
    if (folder === "." || folder === "/") return 0n;
  }
}
