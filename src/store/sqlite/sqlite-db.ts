import { AsyncLocalStorage } from "node:async_hooks";
import type { Db, SqlValue, TransactionOptions, Tx } from "../db.ts";
import { beginImmediate, type Connection } from "./connection.ts";
import { identityOf, isCutOff } from "./file/file-identity.ts";
import { createQueue } from "./queue.ts";
import { SqliteDialect } from "./sqlite-dialect.ts";
import { openTransaction } from "./transaction.ts";
import { createViews } from "./view.ts";

/** Creates the store's port over one connection and takes ownership of it. `waitMs`: how long to wait for a lock. */
export function createSqliteDb(first: Connection, waitMs?: number): Db {
  let connection = first;
  let identity = identityOf(first.path);
  let views = createViews();
  const queue = createQueue();
  const transactions = new AsyncLocalStorage<{ readonly over: boolean }>();
  let closing: Promise<void> | undefined;
  let closed = false;

  const use = <T>(work: () => Promise<T>): Promise<T> => {
    // It would wait forever for the transaction that it is part of.
    if (transactions.getStore()?.over === false) {
      return Promise.reject(new Error("the Db was used inside its own transaction: use the Tx there"));
    }
    return queue(async () => {
      if (closed) throw new Error(`the store ${connection.path} was used after it was closed`);
      return await work();
    });
  };

  const inTransaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    await beginImmediate(connection, waitMs);
    const transaction = openTransaction(connection);
    try {
      const result = await transactions.run(transaction, () => work(transaction.tx));
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  };

  const reader = {
    all: <T>(sql: string, params?: readonly SqlValue[]) => use(async () => connection.all<T>(sql, params)),
    get: <T>(sql: string, params?: readonly SqlValue[]) => use(async () => connection.get<T>(sql, params)),
  };
  return {
    ...reader,
    dialect: new SqliteDialect(reader),
    location: first.path,
    transaction: <T>(work: (tx: Tx) => Promise<T>, { durable = true }: TransactionOptions = {}) =>
      use(async () => {
        // SQLite allows this only between transactions. The next durable commit syncs this one as well.
        if (!durable) connection.exec("PRAGMA synchronous = NORMAL");
        try {
          return await inTransaction(work);
        } finally {
          if (!durable) connection.exec("PRAGMA synchronous = FULL");
        }
      }),
    rescueFile: () =>
      use(async () => {
        if (!isCutOff(first.path, identity)) return false;
        const { rescueFile } = await import("./file/rescue-file.ts");
        connection = await rescueFile(connection);
        identity = identityOf(first.path);
        // Its connection has the old file open.
        views.close();
        views = createViews();
        return true;
      }),
    view: () => use(() => views.open(connection.path)),
    close: () => {
      closing ??= use(async () => {
        closed = true;
        // Node would call its hook for every later promise of this process.
        transactions.disable();
        views.close();
        connection.close();
      });
      return closing;
    },
  };
}
