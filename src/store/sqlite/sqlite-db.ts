import type { Db, FileState, Seal, SqlParam, TransactionOptions, Tx } from "../db.ts";
import { beginImmediate, type Connection, openConnection, useWriteAheadLog } from "./connection.ts";
import { identityOf, isCutOff } from "./file/file-identity.ts";
import type { WalMark } from "./file/wal-mark.ts";
import { createQueue } from "./queue.ts";
import { SqliteDialect } from "./sqlite-dialect.ts";
import type { StatementGuard } from "./stored-statements.ts";
import { openTransaction } from "./transaction.ts";
import { createViews } from "./view.ts";

/** How long a call waits for a running transaction of this process: one that it is part of would never end. */
const maxQueuedMs = 120_000;

interface SqliteDbOptions {
  /** How long to wait for the lock of another process. */
  readonly waitMs?: number;
  readonly queuedMs?: number;
  readonly seal?: Seal | undefined;
  /** For a file that programs besides this project's runs write. */
  readonly guard?: StatementGuard | undefined;
}

/** Creates the store's port over one connection and takes ownership of it. */
export function createSqliteDb(first: Connection, options: SqliteDbOptions = {}): Db {
  const { waitMs, queuedMs = maxQueuedMs, seal = null, guard } = options;
  let connection = first;
  let opened = 1;
  let identity = identityOf(first.path);
  let views = createViews();
  const queue = createQueue();
  let isInTransaction = false;
  let closing: Promise<void> | undefined;
  let closed = false;

  const use = <T>(work: () => Promise<T>): Promise<T> => {
    const checked = async (): Promise<T> => {
      if (closed) throw new Error(`the store ${connection.path} was used after it was closed`);
      return await work();
    };
    return isInTransaction
      ? queue.within({ ms: queuedMs, late: stillInTransaction }, checked)
      : queue(checked);
  };

  const inTransaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    await beginImmediate(connection, waitMs);
    isInTransaction = true;
    try {
      return await commitTransaction(connection, { seal, guard }, work);
    } finally {
      isInTransaction = false;
    }
  };

  const continueWith = (fresh: Connection): void => {
    connection = fresh;
    opened += 1;
    identity = identityOf(first.path);
    // Its connection has the old file open.
    views.close();
    views = createViews();
  };

  const reader = readerOf(use, () => connection, guard);
  return {
    ...reader,
    dialect: new SqliteDialect(reader, () => opened),
    location: first.path,
    seal,
    transaction: <T>(work: (tx: Tx) => Promise<T>, { durable = true }: TransactionOptions = {}) =>
      use(() => (durable ? inTransaction(work) : notDurable(connection, () => inTransaction(work)))),
    rescueFile: () =>
      use(async () => {
        if (!isCutOff(first.path, identity)) return false;
        continueWith(await (await import("./file/rescue-file.ts")).rescueFile(connection));
        return true;
      }),
    guardFile: () => use(async () => guardFile(() => connection, use)),
    whileClosed: (work) =>
      use(async () => {
        views.close();
        connection.close();
        await work();
        continueWith(await reopen(first));
      }),
    view: () => use(() => views.open(connection.path)),
    close: () => {
      closing ??= use(async () => {
        closed = true;
        views.close();
        connection.close();
      });
      return closing;
    },
  };
}

/** Of connections whose file is guarded. */
const walMarks = new WeakMap<Connection, WalMark>();

/** Runs `work` in the transaction that `connection` has just begun. */
async function commitTransaction<T>(
  connection: Connection,
  { seal, guard }: { readonly seal: Seal | null; readonly guard: StatementGuard | undefined },
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const transaction = openTransaction(connection, seal);
  try {
    guard?.drop(connection);
    const result = await work(transaction.tx);
    transaction.commit();
    walMarks.get(connection)?.follow();
    return result;
  } catch (error) {
    transaction.rollback();
    throw error;
  }
}

type Use = <T>(work: () => Promise<T>) => Promise<T>;

function readerOf(
  use: Use,
  now: () => Connection,
  guard: StatementGuard | undefined,
): Pick<Db, "all" | "get"> {
  const read = <T>(statement: () => T): Promise<T> =>
    use(async () => (guard ? guard.reading(now(), statement) : statement()));
  return {
    all: <T>(sql: string, params?: readonly SqlParam[]) => read(() => now().all<T>(sql, params)),
    get: <T>(sql: string, params?: readonly SqlParam[]) => read(() => now().get<T>(sql, params)),
  };
}

/** Runs a transaction whose commit does not wait for the disk. The next durable commit syncs this one as well. */
async function notDurable<T>(connection: Connection, transaction: () => Promise<T>): Promise<T> {
  // SQLite allows this only between transactions.
  connection.exec("PRAGMA synchronous = NORMAL");
  try {
    return await transaction();
  } finally {
    connection.exec("PRAGMA synchronous = FULL");
  }
}

/** See `Db.guardFile`. The check waits for its turn as reads do. */
async function guardFile(now: () => Connection, use: Use): Promise<() => Promise<FileState>> {
  const { fileState, markFile } = await import("./file/damage-check.ts");
  const { hasOtherSchema, markSchema } = await import("./file/schema-check.ts");
  const { path } = now();
  const wal = await followWal(now());
  const mark = markFile(path);
  const schema = markSchema(now());
  return () =>
    // The schema first: another one can hold expressions, which the check of the file would evaluate.
    use(async () => {
      if (mark === null) return "intact";
      return hasOtherSchema(now(), schema) ? "damaged" : fileState(path, mark, wal);
    });
}

/** SQLite's own default; the hash of so many takes 2 ms. */
const maxWalBytes = 4 * 1024 * 1024;

/** Notes what is committed in the write-ahead log, and moves a long one to the file. */
async function followWal(connection: Connection): Promise<WalMark> {
  const { markWal } = await import("./file/wal-mark.ts");
  const wal = walMarks.get(connection) ?? markWal(`${connection.path}-wal`);
  wal.trust();
  walMarks.set(connection, wal);
  // During a session, that would look as if the agent had written the store's file.
  if (wal.bytes() > maxWalBytes) connection.get("PRAGMA wal_checkpoint(PASSIVE)");
  return wal;
}

async function reopen({ path, busyMs }: Connection): Promise<Connection> {
  const connection = await openConnection(path, { readOnly: false, busyMs });
  await useWriteAheadLog(connection);
  return connection;
}

const stillInTransaction = (): Error =>
  new Error("the Db waited too long for a transaction: was it used inside its own? use the Tx there");
