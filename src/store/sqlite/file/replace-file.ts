import { lstat, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Db } from "../../db.ts";
import { openSqliteStore } from "../open-sqlite-store.ts";
import { syncFolder } from "./durable-file.ts";

/** The suffixes of the files that SQLite keeps beside a database. */
const sideFiles = ["-wal", "-shm", "-journal"];

/** Returns the existing files of the store at `path`. */
export async function sqliteFiles(path: string): Promise<readonly string[]> {
  const existing: string[] = [];
  for (const file of ["", ...sideFiles].map((side) => `${path}${side}`)) {
    const stats = await lstat(file).catch(() => undefined);
    if (stats) existing.push(file);
  }
  return existing;
}

/** See `replaceStore`. */
export async function replaceSqliteFile<T>(path: string, build: (db: Db) => Promise<T>): Promise<T> {
  const unfinished = `${path}.${process.pid}.rebuilt`;
  try {
    const db = await openSqliteStore({ path: unfinished, history: null });
    const result = await build(db)
      .then(async (built) => {
        await foldWriteAheadLog(db);
        return built;
      })
      .finally(() => db.close());
    // Side files first: SQLite would replay the old store's write-ahead log into the new one.
    for (const side of sideFiles) await rm(`${path}${side}`, { force: true });
    await rename(unfinished, path);
    await syncFolder(dirname(path));
    return result;
  } finally {
    for (const side of ["", ...sideFiles]) await rm(`${unfinished}${side}`, { force: true });
  }
}

/**
 * Moves everything into the database file, which is about to be renamed alone. Closing is not enough: the driver keeps
 * a closed connection's files open for a while.
 */
async function foldWriteAheadLog(db: Db): Promise<void> {
  const mode = await db.get<{ journal_mode: string }>("PRAGMA journal_mode = DELETE");
  if (mode?.journal_mode !== "delete")
    throw new Error(`the rebuilt store kept its write-ahead log: ${mode?.journal_mode}`);
}
