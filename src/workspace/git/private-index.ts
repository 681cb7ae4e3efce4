import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../base/errors.ts";
import type { Workspace } from "../workspace.ts";
import { git } from "./git.ts";
import { lookAt } from "./paths.ts";

/**
 * Runs `use` with an index file of our own that holds `tree`; the user's index is not touched. It begins as a copy,
 * so that git need not read every file again.
 */
export async function withPrivateIndex<T>(
  ws: Workspace,
  tree: string,
  use: (indexFile: string) => Promise<T>,
): Promise<T> {
  const indexFile = join(ws.gitDir, `ralph-index-${randomBytes(6).toString("hex")}`);
  try {
    await copyFile(join(ws.gitDir, "index"), indexFile, constants.COPYFILE_EXCL).catch((error: unknown) => {
      if (systemCode(error) !== "ENOENT") throw error;
    });
    await git(ws, ["read-tree", "--reset", tree], { indexFile });
    return await use(indexFile);
  } finally {
    await rm(indexFile, { force: true });
    await rm(`${indexFile}.lock`, { force: true });
  }
}

/** Takes away what a crash left of such index files. None is in use for as long as an hour. */
export async function removeStaleIndexes(ws: Workspace): Promise<void> {
  const names = await readdir(ws.gitDir);
  const ours = names.filter((name) => /^ralph-index-[0-9a-f]{12}(\.lock)?$/.test(name));
  for (const path of ours.map((name) => join(ws.gitDir, name))) {
    const stats = await lookAt(path);
    if (stats && Date.now() - stats.mtimeMs > 3_600_000) await rm(path, { force: true });
  }
}
