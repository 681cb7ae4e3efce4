import { setTimeout as sleep } from "node:timers/promises";
import { RalphError } from "../../base/errors.ts";
import type { Row, SqlParam } from "../port/db.ts";
import { isSafeToWrite, loadDriver, type SqliteDatabase, type SqliteStatement } from "./load-driver.ts";
import { busyTimeoutMs, isLocked, storeError } from "./store-error.ts";

const cachedStatements = 256;
/** Page cache in KiB. With SQLite's default of 2,000, each search in a large memory reads the disk again. */
const cacheKib = 16_000;
/** Pages of the write-ahead log (64 MB) that a commit moves to the file. A run moves them sooner, while no agent works. */
const walPages = 16_384;

/** One open SQLite file. All methods are synchronous; errors that a user can fix are thrown as `RalphError`. */
export class Connection {
  readonly path: string;
  /** How long to wait for another process's lock. A statement waits itself, blocking this process, until `neverBlock`. */
  readonly busyMs: number;
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  #durable = true;
  #blocks = true;

  constructor(database: SqliteDatabase, path: string, busyMs: number) {
    this.#database = database;
    this.path = path;
    this.busyMs = busyMs;
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs any number of statements without parameters. */
  exec(sql: string): void {
    this.#guard(() => this.#database.exec(sql));
  }

  all<T = Row>(sql: string, params: readonly SqlParam[] = []): readonly T[] {
    return this.#guard(() => this.#statement(sql).all(...params)) as T[];
  }

  get<T = Row>(sql: string, params: readonly SqlParam[] = []): T | undefined {
    return this.#guard(() => this.#statement(sql).get(...params)) as T | undefined;
  }

  run(sql: string, params: readonly SqlParam[] = []): number {
    return this.#guard(() => Number(this.#statement(sql).run(...params).changes));
  }

  /** Decides whether commits wait for the disk. Only between transactions; the next durable commit syncs the others as well. */
  setDurable(durable: boolean): void {
    if (durable !== this.#durable) this.exec(`PRAGMA synchronous = ${durable ? "FULL" : "NORMAL"}`);
    this.#durable = durable;
  }

  /** From now on a statement fails at once where another process has the lock. Its caller tries again with `untilUnlocked`. */
  neverBlock(): void {
    if (this.#blocks) this.get("PRAGMA busy_timeout = 0");
    this.#blocks = false;
  }

  close(): void {
    this.#statements.clear();
    this.#guard(() => this.#database.close());
  }

  #statement(sql: string): SqliteStatement {
    const cached = this.#statements.get(sql);
    const statement = cached ?? this.#database.prepare(sql);
    // Deleted and set again, so that the first entry of the map is the least recently used one.
    if (cached) this.#statements.delete(sql);
    this.#statements.set(sql, statement);
    if (this.#statements.size > cachedStatements) {
      const [oldest] = this.#statements.keys();
      if (oldest !== undefined) this.#statements.delete(oldest);
    }
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeError(error, this.path);
    }
  }
}

/** Opens an existing file and sets the connection's own pragmas. Changes nothing in the file. */
export async function openConnection(
  path: string,
  options: { readonly readOnly: boolean; readonly busyMs?: number },
): Promise<Connection> {
  const { busyMs = busyTimeoutMs } = options;
  const { DatabaseSync } = loadDriver();
  let database: SqliteDatabase;
  try {
    database = new DatabaseSync(path, { readOnly: options.readOnly });
  } catch (error) {
    throw storeError(error, path);
  }
  const connection = new Connection(database, path, busyMs);
  if (!options.readOnly) refuseUnsafe(connection);
  connection.exec(
    `PRAGMA busy_timeout = ${busyMs}; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA cache_size = -${cacheKib}; PRAGMA wal_autocheckpoint = ${walPages}`,
  );
  return connection;
}

/** Closes a connection whose SQLite cannot write safely. It has read and written nothing yet. */
function refuseUnsafe(connection: Connection): void {
  const version = connection.get<{ version: string }>("SELECT sqlite_version() AS version")?.version ?? "";
  if (isSafeToWrite(version)) return;
  connection.close();
  throw new RalphError(
    "RALPH_STORE_DRIVER",
    `cannot write ${connection.path} with SQLite ${version}: it can corrupt a file that two processes write`,
    { hint: "reinstall ralph, or use a newer Node 24" },
  );
}

/**
 * Begins a write transaction. Waits for the lock without blocking this process, which may itself hold the lock through
 * another connection.
 */
export async function beginImmediate(
  connection: Connection,
  waitMs: number = connection.busyMs,
): Promise<void> {
  connection.neverBlock();
  await untilUnlocked(waitMs, () => connection.run("BEGIN IMMEDIATE"));
}

/** Switches the file to WAL mode. SQLite itself does not wait for the lock that this needs. */
export async function useWriteAheadLog(connection: Connection): Promise<void> {
  if (connection.get<{ journal_mode: string }>("PRAGMA journal_mode")?.journal_mode === "wal") return;
  await untilUnlocked(connection.busyMs, () => connection.get("PRAGMA journal_mode = WAL"));
}

/** Runs `work` again until no other process has the lock that it needs, at most for `waitMs` milliseconds. */
export async function untilUnlocked<T>(waitMs: number, work: () => T): Promise<T> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error;
    }
    // Random, so that waiting processes do not retry in lockstep.
    await sleep(1 + Math.random() * 10);
  }
}
