import { readFile, stat } from "node:fs/promises";

const maxFileBytes = 1024 * 1024;

/** Returns the text of a regular file of at most 1 MiB; undefined for anything else, also for what cannot be read. */
export async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= maxFileBytes ? await readFile(path, "utf8") : undefined;
  } catch {
    // Missing, a folder, not readable: in each case there is nothing to learn from it.
    return undefined;
  }
}
