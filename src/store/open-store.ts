import type { Db, StoreOptions } from "./port/db.ts";
import { openSqliteStore } from "./sqlite/open-store.ts";

/**
 * Opens one store with the driver that fits its path, creating and migrating it as needed. A store with rows is backed
 * up before a migration. Errors: `RALPH_STORE_` + `MISSING`, `PATH` (a folder or a link), `FOREIGN` (another program's),
 * `NEWER`, `CORRUPT`, `LOCKED` (after 5 s), `READ_ONLY`, `FULL`, `IO`, `DRIVER`. None of them changes or removes data.
 */
export async function openStore(options: StoreOptions): Promise<Db> {
  return openSqliteStore(options);
}
