import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isTemporary } from "../../base/temporary-files.ts";
import { programsInFolder } from "../../process/programs-in-folder.ts";
import type { Workspace } from "./workspace.ts";

/** Time for a git process that outlived its ralph to end by itself, in milliseconds. */
const minLockAgeMs = 3000;

/**
 * Removes the locks (`index.lock`, `HEAD.lock`, those of refs) that a git killed together with ralph left and that would
 * block every later git. Requires evidence: they were created after `since`, the start of that ralph, and no git is running
 * in the tree, such as a person's `git commit` with an open editor. Returns the removed locks.
 */
export async function removeStaleLocks(ws: Workspace, since: Date): Promise<readonly string[]> {
  for (let waited = 0; ; waited += 200) {
    const locks = await locksSince(ws, since);
    if (locks.length === 0) return [];
    const atWork = await programsInFolder("git", ws.topLevel);
    if (atWork?.length === 0) {
      for (const lock of locks) await rm(lock, { force: true });
      return locks;
    }
    if (atWork === undefined || waited >= minLockAgeMs) return [];
    await sleep(200);
  }
}

async function locksSince(ws: Workspace, since: Date): Promise<readonly string[]> {
  const found = await Promise.all(
    (await locksOf(ws)).map(async (path) => ({ path, stats: await lstat(path).catch(() => undefined) })),
  );
  return found.flatMap(({ path, stats }) =>
    stats?.isFile() === true && stats.mtimeMs >= since.getTime() ? [path] : [],
  );
}

async function locksOf({ gitDir, commonDir }: Workspace): Promise<readonly string[]> {
  const own = await locksIn(gitDir, false);
  // A git in another work tree can hold a lock of the shared files.
  if (gitDir !== commonDir) return own;
  return [...own, ...(await locksIn(join(gitDir, "refs"), true))];
}

async function locksIn(folder: string, recursive: boolean): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive }).catch(() => []);
  const isGits = (name: string): boolean => name.endsWith(".lock") && !isTemporary(name);
  return names.filter(isGits).map((name) => join(folder, name));
}
