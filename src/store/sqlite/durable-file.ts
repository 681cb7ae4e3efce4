import { open } from "node:fs/promises";

/** Creates an empty file that only its owner can read; SQLite would create one that others can read. */
export async function makePrivate(path: string): Promise<void> {
  await (await open(path, "wx", 0o600)).close();
}

/** Syncs a file or folder: SQLite does not sync a copy that it made, and nothing syncs a folder after a rename. */
export async function toDisk(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Syncs a folder where the system can: Windows cannot open one, and some network file systems cannot sync one. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}
