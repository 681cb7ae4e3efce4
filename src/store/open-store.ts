import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf, RalphError, systemCode } from "../base/errors.ts";
import type { Db } from "./db.ts";
import { type Connection, openConnection, useWriteAheadLog } from "./sqlite/connection.ts";
import { corrupt, inspectFile, sizeOf } from "./sqlite/inspect-file.ts";
import { isCurrent, migrate } from "./sqlite/migrate.ts";
import { createSqliteDb } from "./sqlite/sqlite-db.ts";

interface StoreOptions {
  readonly path: string;
  /** No write is possible; a file of an older schema is migrated first all the same. */
  readonly readOnly?: boolean;
  /** Default true: makes the file, and its folder, where there is none. */
  readonly create?: boolean;
  /** Wall time, for the name of a backup. */
  readonly now?: () => Date;
  /**
   * The event log of this store; default `events.jsonl` beside it. When it has content and the store is gone or
   * empty, data was lost: that is said, not papered over with a new store. Null for a store that is to be rebuilt.
   */
  readonly history?: string | null;
}

/**
 * Opens one SQLite store, made and migrated as needed (a backup of a store with rows goes to `backups/` beside it).
 * Errors: `RALPH_STORE_` + `MISSING`, `PATH` (a folder or a link), `FOREIGN` (another program's), `NEWER`, `CORRUPT`,
 * `LOCKED` (after 5 s), `READ_ONLY`, `FULL`, `IO`, `DRIVER`. None of them changes or removes the file.
 */
export async function openStore(options: StoreOptions): Promise<Db> {
  const { path, readOnly = false, create = true, now = () => new Date() } = options;
  const history = options.history === undefined ? join(dirname(path), "events.jsonl") : options.history;
  // Looked at in this order: another process may be making both files.
  const historySize = history === null ? 0 : sizeOf(history);
  const size = inspectFile(path);
  if (historySize > 0 && !size) throw lostData({ path, history, empty: size === 0 });
  if (size === undefined) {
    if (readOnly || !create) throw missing(path);
    createFile(path);
  }
  if (readOnly) {
    const connection = await openConnection(path, { readOnly });
    if (isCurrent(connection)) return createSqliteDb(connection);
    connection.close();
  }
  const connection = await openForWriting(path, now);
  if (!readOnly) return createSqliteDb(connection);
  connection.close();
  return createSqliteDb(await openConnection(path, { readOnly }));
}

async function openForWriting(path: string, now: () => Date): Promise<Connection> {
  const connection = await openConnection(path, { readOnly: false });
  try {
    await migrate(connection, async (fromVersion) => {
      const { backUpStore } = await import("./sqlite/back-up-store.ts");
      await backUpStore(path, { fromVersion, now: now() });
    });
    await useWriteAheadLog(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function lostData({
  path,
  history,
  empty,
}: {
  path: string;
  history: string | null;
  empty: boolean;
}): RalphError {
  if (empty) return corrupt(path, `is empty although ${history} tells of its content`);
  return new RalphError(
    "RALPH_STORE_MISSING",
    `There is no store ${path}, although ${history} tells of its content.`,
    {
      hint: "run `ralph doctor --repair` to rebuild it from there; to begin anew, move that file away too",
    },
  );
}

function missing(path: string): RalphError {
  return new RalphError("RALPH_STORE_MISSING", `There is no store ${path}.`, {
    hint: "run `ralph init`, or `ralph task add` for the first task",
  });
}

/** Made before SQLite opens it, which would let others read it. Its side files take over the mode. */
function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileError(path, error);
  }
  try {
    // In one go, as closing it would drop the locks of a connection opened in between.
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    // Another process was faster.
    if (systemCode(error) !== "EEXIST") throw fileError(path, error);
  }
}

function fileError(path: string, cause: unknown): RalphError {
  const code = systemCode(cause);
  if (code === "ENOSPC" || code === "EDQUOT") {
    return new RalphError("RALPH_STORE_FULL", `The store ${path} cannot be made: the disk is full.`, {
      hint: "free some space and run the command again",
      cause,
    });
  }
  const readOnly = code === "EROFS" || code === "EACCES" || code === "EPERM";
  return new RalphError(
    readOnly ? "RALPH_STORE_READ_ONLY" : "RALPH_STORE_IO",
    `The store ${path} cannot be made (${messageOf(cause)}).`,
    { hint: "check that its folder is yours to write, or set `store:` to another path", cause },
  );
}
