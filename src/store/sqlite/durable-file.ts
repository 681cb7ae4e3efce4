import { open } from "node:fs/promises";

/** An empty file that only its owner can read; SQLite would let others. */
export async function makePrivate(path: string): Promise<void> {
  await (await open(path, "wx", 0o600)).close();
}

/** SQLite leaves the sync of a copy to us, and nobody syncs the folder that a file was renamed in. */
export async function toDisk(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
