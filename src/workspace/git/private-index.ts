import { constants } from "node:fs";
import { copyFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import type { Workspace } from "../workspace.ts";
import { git } from "./git.ts";
import { privateIndexName } from "./private-index-name.ts";

/**
 * Runs `use` with a private index file that contains `tree`, without changing the user's index. The file begins as a copy of
 * it, so that git need not read every file again.
 */
export async function withPrivateIndex<T>(
  ws: Workspace,
  tree: string,
  use: (indexFile: string) => Promise<T>,
): Promise<T> {
  const indexFile = join(ws.gitDir, privateIndexName());
  try {
    await copyFile(join(ws.gitDir, "index"), indexFile, constants.COPYFILE_EXCL).catch((error: unknown) => {
      if (systemCode(error) !== "ENOENT") throw error;
    });
    await git(ws, ["read-tree", "--reset", tree], { indexFile });
    return await use(indexFile);
  } finally {
    // What cannot be removed now is removed with the stale locks of a later run.
    for (const file of [indexFile, `${indexFile}.lock`])
      await rm(file, { force: true }).catch(() => undefined);
  }
}
