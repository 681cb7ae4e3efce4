import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { lookAt, makeFolders } from "../../base/careful-files.ts";

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
