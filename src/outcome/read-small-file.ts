import { readFile, stat } from "node:fs/promises";

const maxFileBytes = 1024 * 1024;

/** Returns the text of a regular file of at most 1 MiB; undefined for anything else or an unreadable file. */
export async function readSmallFile(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= maxFileBytes ? await readFile(path, "utf8") : undefined;
  } catch {
    // Missing or unreadable: detection continues without it.
    return undefined;
  }
}
