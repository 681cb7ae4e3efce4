import { lstat, mkdir, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Creates an iteration's folder for temporary files. An agent may have replaced it, or the folder around it, by a file or
 * a link, which is removed.
 */
export async function createTempFolder(path: string): Promise<void> {
  for (const place of [dirname(path), path]) {
    const stats = await lstat(place).catch(() => undefined);
    if (stats && !stats.isDirectory()) await rm(place, { force: true });
  }
  await mkdir(path, { recursive: true, mode: 0o700 });
}

/** Removes temporary files. What an agent made impossible to remove stays, and does not end the run. */
export async function removeTempFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}
