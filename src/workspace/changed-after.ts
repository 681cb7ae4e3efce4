import { lstat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Workspace } from "./git/workspace.ts";

/**
 * Returns the `paths` (relative to the project root) whose change time, in nanoseconds since 1970, `isLate` accepts. Uses
 * the inode's ctime, which programs cannot set, unlike mtime. For a deleted path, uses the time at which its folder last
 * gained or lost an entry.
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
