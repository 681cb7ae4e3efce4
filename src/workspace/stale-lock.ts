import { lstat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { programsInFolder } from "../process/programs-in-folder.ts";
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
