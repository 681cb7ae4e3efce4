import { closeSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../../base/errors.ts";
import type { Db, StoreOptions } from "../db.ts";
import { type Connection, openConnection, useWriteAheadLog } from "./connection.ts";
import { corrupt, inspectFile, sizeOf } from "./file/inspect-file.ts";
import { isCurrent, schemaNamed } from "./schema-version.ts";
import { createSqliteDb } from "./sqlite-db.ts";
import { statementGuard } from "./stored-statements.ts";

/**
 * Opens the SQLite file at `path`, creating and migrating it as needed. Before a migration, a file with rows is copied
 * to `backups/` beside it.
 */
export async function openSqliteStore(options: StoreOptions): Promise<Db> {
  const { path, readOnly = false, create = true } = options;
  const busy = options.busyMs === undefined ? {} : { busyMs: options.busyMs };
  // An agent of any project can write the file that projects share.
  const guard = options.schema === "hivemind" ? statementGuard(readOnly) : undefined;
  const sealed = { seal: options.seal, guard };
  const history = options.history === undefined ? join(dirname(path), "events.jsonl") : options.history;
  // The log first, then the store: another process may be creating both.
  const historySize = history === null ? 0 : sizeOf(history);
  const size = inspectFile(path);
  if (historySize > 0 && !size) throw lostData({ path, history, empty: size === 0 });
  if (size === undefined) {
    if (readOnly || !create) throw missing(path);
    createFile(path);
  }
  const current = readOnly ? await openCurrent(options, busy) : undefined;
  if (current) return createSqliteDb(current, sealed);
  const connection = await openForWriting(options, busy);
  if (!readOnly) return createSqliteDb(connection, sealed);
  connection.close();
  return createSqliteDb(await openConnection(path, { readOnly, ...busy }), sealed);
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
  { path, schema = "project", now = () => new Date(), migrate: mayMigrate = true }: StoreOptions,
  busy: { readonly busyMs?: number },
): Promise<Connection> {
  const connection = await openConnection(path, { readOnly: false, ...busy });
  try {
    // A migration writes too.
    if (schema === "hivemind") statementGuard(false).reading(connection, () => undefined);
    if (!isCurrent(connection, schemaNamed(schema))) {
      if (!mayMigrate) throw notMigrated(path);
      const backUp = async (fromVersion: number): Promise<void> => {
        const { backUpStore } = await import("./file/back-up-store.ts");
        await backUpStore(path, { fromVersion, now: now() });
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

interface LostStore {
  readonly path: string;
  readonly history: string | null;
  readonly empty: boolean;
}

function lostData({ path, history, empty }: LostStore): RalphError {
  if (empty) return corrupt(path, `is empty although its event log ${history} has content`);
  return new RalphError(
    "RALPH_STORE_MISSING",
    `the store ${path} is missing: its event log ${history} has content`,
    {
      hint: "run `ralph doctor --repair` to rebuild it from the log; to start over, move the log away too",
    },
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
