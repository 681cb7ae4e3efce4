import type { Db, Reader, TransactionOptions, Tx } from "../port/db.ts";
import { createQueue } from "../port/queue.ts";
import { beginImmediate, type Connection, untilUnlocked } from "./connection.ts";
import { SqliteDialect } from "./dialect.ts";
import { identityOf, isCutOff } from "./inspect-file.ts";
import { openTransaction } from "./transaction.ts";
import { createViews } from "./view.ts";

/** How long a call waits for a running transaction of this process: one that it is part of would never end. */
const maxQueuedMs = 120_000;

interface SqliteDbOptions {
  /** How long to wait for the lock of another process. */
  readonly waitMs?: number;
  readonly queuedMs?: number;
}

/** Creates the store's port over one connection and takes ownership of it. */
export function createSqliteDb(first: Connection, options: SqliteDbOptions = {}): Db {
  const { waitMs = first.busyMs, queuedMs = maxQueuedMs } = options;
  first.neverBlock();
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
      return await commitTransaction(connection, work);
    } finally {
      isInTransaction = false;
    }
  };

  const continueWith = (fresh: Connection): void => {
    connection = fresh;
    connection.neverBlock();
    opened += 1;
    identity = identityOf(first.path);
    // Its connection has the old file open.
    views.close();
    views = createViews();
  };

  const read = <T>(work: (from: Connection) => T): Promise<T> =>
    use(() => untilUnlocked(waitMs, () => work(connection)));
  const reader: Pick<Db, "all" | "get"> = {
    all: (sql, params) => read((from) => from.all(sql, params)),
    get: (sql, params) => read((from) => from.get(sql, params)),
  };
  return {
    ...reader,
    dialect: new SqliteDialect(reader, () => opened),
    location: first.path,
    transaction: <T>(work: (tx: Tx) => Promise<T>, { durable = true }: TransactionOptions = {}) =>
      use(async () => {
        connection.setDurable(durable);
        return await inTransaction(work);
      }),
    file: {
      rescue: () =>
        use(async () => {
          if (!isCutOff(first.path, identity)) return false;
          continueWith(await (await import("./rescue-file.ts")).rescueFile(connection));
          return true;
        }),
      findDamage: () => findDamage(reader),
    },
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

async function findDamage(q: Pick<Reader, "all">): Promise<string | undefined> {
  const rows = await q.all<{ integrity_check: string }>("PRAGMA integrity_check(10)");
  return rows.find(({ integrity_check }) => integrity_check !== "ok")?.integrity_check;
}

/** Runs `work` in the transaction that `connection` has just begun. */
async function commitTransaction<T>(connection: Connection, work: (tx: Tx) => Promise<T>): Promise<T> {
  const transaction = openTransaction(connection);
  try {
    const result = await work(transaction.tx);
    transaction.commit();
    return result;
  } catch (error) {
    transaction.rollback();
    throw error;
  }
}

const stillInTransaction = (): Error =>
  new Error("the Db waited too long for a transaction: was it used inside its own? use the Tx there");
