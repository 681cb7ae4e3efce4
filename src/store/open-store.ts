import type { Db, StoreOptions } from "./port/db.ts";
import { isPostgresUrl } from "./port/is-postgres-url.ts";
import { openSqliteStore } from "./sqlite/open-store.ts";

/**
 * Opens one store with the driver that fits its path, creating and migrating it as needed. A file with rows is backed
 * up before a migration. Errors: `RALPH_STORE_` + `MISSING`, `PATH` (a folder or a link), `FOREIGN` (another program's),
 * `NEWER`, `CORRUPT`, `LOCKED` (after 5 s), `READ_ONLY`, `FULL`, `IO`, `DRIVER`, `UNREACHABLE` (a server). None of them changes or removes data.
 */
export async function openStore(options: StoreOptions): Promise<Db> {
  if (!isPostgresUrl(options.path)) return openSqliteStore(options);
  const { openPostgresStore } = await import("./postgres/open-server.ts");
  return openPostgresStore(options);
}
