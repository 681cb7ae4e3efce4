import { lstat, readdir, rm, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { programsInFolder } from "../process/programs-in-folder.ts";
import { ownerOfIndex } from "./git/private-index-name.ts";
import type { Workspace } from "./workspace.ts";

/** A git that outlived its ralph gets this long to end by itself, in milliseconds. */
const patienceMs = 3000;

/**
 * Removes the `index.lock` that a git killed along with ralph has left, which would stop every git from then on. Only
 * on evidence: it was made after `since`, when that ralph began, and no git is at work in the tree any more; a person's
 * `git commit` with an open editor is one. True when a lock was removed.
 */
export async function removeStaleLock(ws: Workspace, since: Date): Promise<boolean> {
  const lock = join(ws.gitDir, "index.lock");
  const isThere = async (): Promise<boolean> => {
    const stats = await lstat(lock).catch(() => undefined);
    return stats?.isFile() === true && stats.mtimeMs >= since.getTime();
  };
  for (let waited = 0; await isThere(); waited += 200) {
    const atWork = await programsInFolder("git", ws.topLevel);
    if (atWork?.length === 0) {
      await unlink(lock);
      return true;
    }
    if (atWork === undefined || waited >= patienceMs) return false;
    await sleep(200);
  }
  return false;
}

/**
 * Removes the index files of ralph's own that a kill left in git's folder. One whose owner cannot be asked is left until
 * it is an hour old: none is in use for so long.
 */
export async function removeStaleIndexes(ws: Workspace): Promise<void> {
  for (const name of await readdir(ws.gitDir)) {
    const owner = ownerOfIndex(name);
    if (owner === undefined || owner === "used") continue;
    const path = join(ws.gitDir, name);
    const stats = await lstat(path).catch(() => undefined);
    if (owner === "left" || (stats && Date.now() - stats.mtimeMs > 3_600_000))
      await rm(path, { force: true });
  }
}
