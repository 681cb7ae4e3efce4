import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../../base/errors.ts";
import type { Db, StoreOptions } from "../port/db.ts";
import { type Connection, openConnection, useWriteAheadLog } from "./connection.ts";
import { createSqliteDb } from "./db.ts";
import { inspectFile } from "./inspect-file.ts";
import { isCurrent, schemaNamed } from "./schema-version.ts";

/** Opens the SQLite file at `path`, creating and migrating it as needed. A file with rows is backed up before a migration. */
export async function openSqliteStore(options: StoreOptions): Promise<Db> {
  const { path, readOnly = false, create = true } = options;
  const busy = options.busyMs === undefined ? {} : { busyMs: options.busyMs };
  const size = inspectFile(path);
  if (!size && options.backups !== undefined) await refuseLost(path, options.backups, size);
  if (size === undefined) {
    if (readOnly || !create) throw missing(path);
    createFile(path);
  }
  const current = readOnly ? await openCurrent(options, busy) : undefined;
  if (current) return createSqliteDb(current);
  const connection = await openForWriting(options, busy);
  if (!readOnly) return createSqliteDb(connection);
  connection.close();
  return createSqliteDb(await openConnection(path, { readOnly, ...busy }));
}

/** Opens a file for reading; undefined when it needs a migration first. */
async function openCurrent(
  { path, schema = "project" }: StoreOptions,
  busy: { readonly busyMs?: number },
): Promise<Connection | undefined> {
  const connection = await openConnection(path, { readOnly: true, ...busy });
  try {
    if (isCurrent(connection, schemaNamed(schema))) return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
  connection.close();
  return undefined;
}

async function openForWriting(
  { path, schema = "project", now = () => new Date(), migrate: mayMigrate = true, backups }: StoreOptions,
  busy: { readonly busyMs?: number },
): Promise<Connection> {
  const connection = await openConnection(path, { readOnly: false, ...busy });
  try {
    if (!isCurrent(connection, schemaNamed(schema))) {
      if (!mayMigrate) throw notMigrated(path);
      const backUp = async (): Promise<void> => {
        if (backups === undefined) return;
        const { backUpSqlite } = await import("./backups.ts");
        await backUpSqlite(path, backups, now());
      };
      const { migrate } = await import("./migrate.ts");
      await migrate(connection, backUp, schemaNamed(schema));
    }
    await useWriteAheadLog(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Refuses a store that is missing or empty although it was backed up: its data was lost. */
async function refuseLost(path: string, folder: string, size: number | undefined): Promise<void> {
  const { sqliteBackups } = await import("./backups.ts");
  const [newest] = sqliteBackups(folder);
  if (newest === undefined) return;
  throw new RalphError(
    size === 0 ? "RALPH_STORE_CORRUPT" : "RALPH_STORE_MISSING",
    `the store ${path} is ${size === 0 ? "empty" : "missing"}: its last backup is of ${newest.at}`,
    { hint: `run \`ralph doctor --repair\` to restore it; to start over, remove ${folder}` },
  );
}

function notMigrated(path: string): RalphError {
  return new RalphError("RALPH_STORE_INCOMPLETE", `the store ${path} is of an earlier version of ralph`, {
    hint: "run `ralph status`, which brings it up to date",
  });
}

function missing(path: string): RalphError {
  return new RalphError("RALPH_STORE_MISSING", `there is no store ${path}`, {
    hint: "run `ralph init`, or `ralph task add` for the first task",
  });
}

/** Creates the file before SQLite does, which would make it readable for others. Its side files inherit the mode. */
function createFile(path: string): void {
  try {
    makeFolders(dirname(path));
  } catch (error) {
    throw fileError(path, error);
  }
  try {
    // Synchronous: closing the file later would release the locks of a connection opened in between.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // Another process was faster.
    if (systemCode(error) !== "EEXIST") throw fileError(path, error);
  }
}

function fileError(path: string, cause: unknown): RalphError {
  const code = systemCode(cause);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new RalphError("RALPH_STORE_FULL", `cannot create the store ${path}: the disk is full`, {
      hint: "free some space and run the command again",
      cause,
    });
  }
  const readOnly = code === "EROFS" || code === "EACCES" || code === "EPERM";
  return new RalphError(
    readOnly ? "RALPH_STORE_READ_ONLY" : "RALPH_STORE_IO",
    `cannot create the store ${path}: ${messageOf(cause)}`,
    { hint: "check that you may write its folder, or set `store:` to another path", cause },
  );
}
