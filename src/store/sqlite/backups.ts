import { readdirSync } from "node:fs";
import { copyFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import type { Backup } from "../port/db.ts";
import { openConnection } from "./connection.ts";
import { makePrivate, syncFolder, toDisk } from "./durable-file.ts";

const kept = 3;
const namePattern = /^(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)-(\d{3}Z)\.db$/;
/** The suffixes of the files that SQLite keeps beside a database. */
const sideFiles = ["-wal", "-shm", "-journal"];

/** See `backUpStore`. Reads through a second connection, so the caller may hold the write lock meanwhile. */
export async function backUpSqlite(path: string, folder: string, now: Date): Promise<void> {
  makeFolders(folder);
  const target = join(folder, `${now.toISOString().replace(/[:.]/g, "-")}.db`);
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
    await syncFolder(folder);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  for (const { path: old } of sqliteBackups(folder).slice(kept)) await rm(old, { force: true });
}

/** See `backupsIn`. */
export function sqliteBackups(folder: string): readonly Backup[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .flatMap((name) => {
      const [, hour, minute, second, ms] = namePattern.exec(name) ?? [];
      const at = hour === undefined ? [] : [`${hour}:${minute}:${second}.${ms}`];
      return at.map((time) => ({ path: join(folder, name), at: time }));
    })
    .sort((a, b) => (a.at < b.at ? 1 : -1));
}

/** See `restoreBackup`. */
export async function restoreSqlite(path: string, folder: string): Promise<Backup | null> {
  for (const backup of sqliteBackups(folder)) {
    if (!(await isSound(backup.path))) continue;
    const unfinished = `${path}.${process.pid}.unfinished`;
    try {
      makeFolders(dirname(path));
      await makePrivate(unfinished);
      await copyFile(backup.path, unfinished);
      await toDisk(unfinished);
      // Side files first: SQLite would replay the old store's write-ahead log into the new one.
      for (const side of sideFiles) await rm(`${path}${side}`, { force: true });
      await rename(unfinished, path);
      await syncFolder(dirname(path));
    } finally {
      await rm(unfinished, { force: true });
    }
    return backup;
  }
  return null;
}

async function isSound(path: string): Promise<boolean> {
  try {
    const connection = await openConnection(path, { readOnly: true });
    try {
      return connection.get<{ quick_check: string }>("PRAGMA quick_check(1)")?.quick_check === "ok";
    } finally {
      connection.close();
    }
  } catch {
    return false;
  }
}
