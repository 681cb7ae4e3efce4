import type { Backup } from "./port/db.ts";
import { backUpSqlite, restoreSqlite, sqliteBackups } from "./sqlite/backups.ts";

/**
 * Writes a consistent copy of the store at `path` to `folder`, private and synced to the disk, and removes all but the last
 * three. Errors: those of the store and of the folder; an unfinished copy is removed.
 */
export async function backUpStore(path: string, folder: string, now: Date): Promise<void> {
  await backUpSqlite(path, folder, now);
}

/** Returns the backups in `folder`, newest first; none where it cannot be read. */
export function backupsIn(folder: string): readonly Backup[] {
  return sqliteBackups(folder);
}

/**
 * Puts the newest readable backup in the place of the store at `path` with one rename, which is the last step. Nothing may have that
 * store open. Returns the backup; null without a readable one.
 */
export async function restoreBackup(path: string, folder: string): Promise<Backup | null> {
  return restoreSqlite(path, folder);
}
