import { constants } from "node:fs";
import { copyFile, lstat, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import { temporaryName } from "../../base/temporary-files.ts";
import { git } from "./git.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Runs `use` with a private index file that contains `tree`, without changing the user's index. The file begins as a copy of
 * it, so that git need not read every file again; null: it stays this copy.
 */
export async function withPrivateIndex<T>(
  ws: Workspace,
  tree: string | null,
  use: (indexFile: string) => Promise<T>,
): Promise<T> {
  const indexFile = join(ws.gitDir, temporaryName());
  try {
    await copyIndex(join(ws.gitDir, "index"), indexFile);
    if (tree !== null) await git(ws, ["read-tree", "--reset", tree], { indexFile });
    return await use(indexFile);
  } finally {
    // A file that cannot be removed now is removed with the stale locks of a later run.
    for (const file of [indexFile, `${indexFile}.lock`])
      await rm(file, { force: true }).catch(() => undefined);
  }
}

async function copyIndex(from: string, to: string): Promise<void> {
  try {
    const { mtimeMs } = await lstat(from);
    await copyFile(from, to, constants.COPYFILE_EXCL);
    // Git reads again which files were written as late as the index: a later time would hide their changes.
    const seconds = Math.floor(mtimeMs) / 1000;
    await utimes(to, seconds, seconds);
  } catch (error) {
    if (systemCode(error) !== "ENOENT") throw error;
  }
}
