import { AsyncLocalStorage } from "node:async_hooks";
import type { Db, SqlValue, TransactionOptions, Tx } from "../db.ts";
import { beginImmediate, type Connection } from "./connection.ts";
import { identityOf, isCutOff } from "./file-identity.ts";
import { createQueue } from "./queue.ts";
import { openTransaction } from "./transaction.ts";
import { openView } from "./view.ts";

/** The store's port over one connection, which it closes in the end. `waitMs`: how long to wait for a lock. */
export function createSqliteDb(first: Connection, waitMs?: number): Db {
  let connection = first;
  let identity = identityOf(first.path);
  const queue = createQueue();
  const around = new AsyncLocalStorage<{ readonly over: boolean }>();
  let closing: Promise<void> | undefined;
  let closed = false;

  const use = <T>(work: () => Promise<T>): Promise<T> => {
    // It would wait for the transaction it is part of, for ever.
    if (around.getStore()?.over === false) {
      return Promise.reject(new Error("The Db was used inside a transaction of its own: use the Tx there."));
    }
    return queue(async () => {
      if (closed) throw new Error(`The store ${connection.path} was used after it was closed.`);
      return await work();
    });
  };

  const inTransaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    await beginImmediate(connection, waitMs);
    const transaction = openTransaction(connection);
    try {
      const result = await around.run(transaction, () => work(transaction.tx));
      transaction.commit();
      return result;
    } catch (error) {
      transaction.rollback();
      throw error;
    }
  };

  return {
    dialect: "sqlite",
    location: first.path,
    all: <T>(sql: string, params?: readonly SqlValue[]) => use(async () => connection.all<T>(sql, params)),
    get: <T>(sql: string, params?: readonly SqlValue[]) => use(async () => connection.get<T>(sql, params)),
    transaction: <T>(work: (tx: Tx) => Promise<T>, { durable = true }: TransactionOptions = {}) =>
      use(async () => {
        // SQLite takes this between transactions only. The next durable commit takes this one to the disk as well.
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
        const { rescueFile } = await import("./rescue-file.ts");
        connection = await rescueFile(connection);
        identity = identityOf(first.path);
        return true;
      }),
    view: () => use(() => openView(connection.path)),
    close: () => {
      closing ??= use(async () => {
        closed = true;
        connection.close();
      });
      return closing;
    },
  };
}
