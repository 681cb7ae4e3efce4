import { rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { makeFolders } from "../../../base/careful-files.ts";
import { openConnection } from "../connection.ts";
import { makePrivate, toDisk } from "./durable-file.ts";

interface Backup {
  readonly fromVersion: number;
  readonly now: Date;
}

/**
 * Writes a consistent copy of a store to `backups/<name>-v<version>-<time>.db` beside it and syncs it to the disk.
 * Reads through a second connection, so the caller may hold the write lock meanwhile.
 */
export async function backUpStore(path: string, { fromVersion, now }: Backup): Promise<void> {
  const folder = join(dirname(path), "backups");
  makeFolders(folder);
  const time = now.toISOString().replace(/[-:]/g, "").replace("T", "-").replace(/\..*/, "");
  const target = join(folder, `${basename(path, extname(path))}-v${fromVersion}-${time}.db`);
  const unfinished = `${target}.${process.pid}.unfinished`;
  try {
    await makePrivate(unfinished);
    const connection = await openConnection(path, { readOnly: true });
    try {
      connection.run("VACUUM INTO ?", [unfinished]);
    } finally {
      connection.close();
    }
    await toDisk(unfinished);
    await rename(unfinished, target);
    await toDisk(folder);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
