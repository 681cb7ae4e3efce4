import type { Db } from "./db.ts";
import { replaceSqliteFile, sqliteFiles } from "./sqlite/file/replace-file.ts";

/** Returns the existing files of the store at `path`: what a copy must contain. */
export async function storeFiles(path: string): Promise<readonly string[]> {
  return sqliteFiles(path);
}

/**
 * Builds a new store and puts it in the place of the one at `path` with one rename, which is the last step: until then
 * the old store stays as it is. Nothing in this process may have the old store open.
 */
export async function replaceStore<T>(path: string, build: (db: Db) => Promise<T>): Promise<T> {
  return replaceSqliteFile(path, build);
}
