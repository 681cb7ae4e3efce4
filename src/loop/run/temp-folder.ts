import { lstatSync, mkdirSync, rmSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates an iteration's folder for temporary files. An agent may have replaced it, or the folder around it, by a file or
 * a link, which is removed.
 */
export function createTempFolder(path: string): void {
  for (const place of [dirname(path), path]) {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats && !stats.isDirectory()) rmSync(place, { force: true });
  }
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Removes temporary files. What an agent made impossible to remove stays, and does not end the run. */
export async function removeTempFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
