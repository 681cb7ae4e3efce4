import { renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { lookAt, makeFolders } from "../../base/careful-files.ts";
import { newId } from "../../base/ids.ts";
import { removeFolder } from "../../workspace/git/remove-folder.ts";
import type { Loop } from "../rows/loop.ts";

/**
 * Creates an iteration's folder for temporary files. An agent may have replaced it, or the folder around it, by a file or
 * a link, which is removed.
 */
export function createTempFolder(path: string): void {
  for (const place of [dirname(path), path]) {
    const stats = lookAt(place);
    if (stats && !stats.isDirectory()) rmSync(place, { force: true });
  }
  makeFolders(path);
}

/**
 * Returns the path of the folder for temporary files in the slot's iterations. It is the same for all of them, since agents quote
 * it in the instructions that a provider caches.
 */
export function tempFolder({ folder, workspace }: Pick<Loop, "folder" | "workspace">): string {
  return join(folder, "tmp", workspace.slot);
}

/** Takes an ended iteration's folder out of the way of the next one. Its content is removed beside a later agent. */
export async function dropTempFolder({ background, workspace }: Loop, path: string): Promise<void> {
  if (!lookAt(path)) return;
  const dropped = `${path}-${newId("i", 6)}`;
  try {
    renameSync(path, dropped);
  } catch {
    return removeFolder(workspace, path);
  }
  background.postpone(dropped, () => removeFolder(workspace, dropped));
}
