import { lstatSync, readdirSync, rmdirSync, rmSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { lookAt } from "../../base/careful-files.ts";
import { removeTree } from "../../process/run-tool.ts";
import type { Workspace } from "./workspace.ts";

/** Removes a folder that agents or verification filled: deep, closed and large ones too. What cannot be removed stays. */
export async function removeFolder({ env }: Pick<Workspace, "env">, folder: string): Promise<void> {
  const found = lookAt(folder);
  if (found?.isDirectory() && !removeFlat(folder)) await removeTree(folder, env);
  else if (found?.isDirectory() === false) rmSync(folder, { force: true });
}

/** More and larger files are removed beside the event loop. */
const flat = { files: 20, bytes: 1024 * 1024 };

/** Removes a folder of a few small files, as most temporary ones are, without a process. Returns false for any other. */
function removeFlat(folder: string): boolean {
  try {
    const paths = readdirSync(folder).map((name) => join(folder, name));
    const isSmall = (path: string): boolean => {
      const stats = lstatSync(path);
      return !stats.isDirectory() && stats.size <= flat.bytes;
    };
    if (paths.length > flat.files || !paths.every(isSmall)) return false;
    for (const path of paths) unlinkSync(path);
    rmdirSync(folder);
    return true;
  } catch {
    // Closed, or used meanwhile.
    return false;
  }
}
