import { hostname } from "node:os";
import type { Db, Row, SqlParam, StoreOptions, Tx, View } from "../port/db.ts";
import { createQueue } from "../port/queue.ts";
import { type PostgresAddress, postgresAddress } from "./address.ts";
import { type Client, connect } from "./client.ts";
import { openConnection } from "./connection.ts";
import { PostgresDialect } from "./dialect.ts";
import { countWrite, createSchema, lockOf } from "./schema-store.ts";
import { inTransaction } from "./transaction.ts";

/** How long a statement waits for another process's lock: longer than the server lets a stopped process hold it. */
const defaultLockMs = 15_000;
/** How long a call waits for a server that is gone, and for a running transaction of this process. */
const maxWait = { serverMs: 30_000, queuedMs: 120_000 };

/** Opens the store at `postgres://…`, creating its schema as needed. It has one session, and another one for each view. */
export async function openPostgresStore(options: StoreOptions): Promise<Db> {
  const address = postgresAddress(options.path);
  const lockMs = options.busyMs ?? defaultLockMs;
  const first = await connect(address, lockMs);
  try {
    await createSchema(first, address, options);
  } catch (error) {
    await first.close();
    throw error;
  }
  const place = options.root === undefined ? "" : `${hostname()}:${options.root} `;
  const { readOnly = false, onWait = () => undefined, waitMs = maxWait.serverMs } = options;
  return createDb(address, { first, lockMs, readOnly, place, onWait, waitMs });
}

interface Session extends Required<Pick<StoreOptions, "onWait" | "readOnly" | "waitMs">> {
  readonly first: Client;
  readonly lockMs: number;
  /** `Dialect.place`. */
  readonly place: string;
}

function createDb(address: PostgresAddress, session: Session): Db {
  const { lockMs, readOnly, place } = session;
  let ownWrites = 0;
  let isInTransaction = false;
  let closing: Promise<void> | undefined;
  const queue = createQueue();
  const connection = openConnection(address, session);
  const limit = { ms: Math.max(maxWait.queuedMs, session.waitMs), late: stillInTransaction };
  const use = <T>(work: (now: Client) => Promise<T>): Promise<T> => {
    const checked = async (): Promise<T> => {
      if (closing !== undefined)
        throw new Error(`the store ${address.location} was used after it was closed`);
      return connection.use(work);
    };
    return isInTransaction ? queue.within(limit, checked) : queue(checked);
  };
  const reader = readerOf((sql, params) => use((now) => now.query(sql, params)));
  return {
    ...reader,
    dialect: new PostgresDialect(reader, place, () => ownWrites),
    location: address.location,
    file: null,
    transaction: <T>(work: (tx: Tx) => Promise<T>, { durable = true, alone = true } = {}) =>
      use(async (now) => {
        if (readOnly) throw new Error(`the store ${address.location} was opened for reading`);
        const [before, after] = alone ? [lockOf(address), `${countWrite}; COMMIT`] : ["", "COMMIT"];
        const id = await begin(now, `BEGIN; ${durable ? "" : relaxed}${before}`, alone);
        isInTransaction = true;
        const wasCommitted = (): Promise<boolean> => connection.wasCommitted(id);
        try {
          const result = await inTransaction(now, { commit: after, place, wasCommitted }, work);
          ownWrites += Number(alone);
          return result;
        } finally {
          isInTransaction = false;
        }
      }),
    view: () => openView(address, lockMs, place),
    close: () => {
      closing ??= queue(() => connection.close());
      return closing;
    },
  };
}

const relaxed = "SET LOCAL synchronous_commit = off; ";

/** Returns the transaction's number, with `isNumbered`. */
async function begin(client: Client, sql: string, isNumbered: boolean): Promise<string | null> {
  try {
    const row = await client.exec(isNumbered ? `${sql}; SELECT pg_current_xact_id()::text AS id` : sql);
    return isNumbered ? String(row?.["id"]) : null;
  } catch (error) {
    if (!client.isOver) await client.exec("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

function readerOf(query: Client["query"]) {
  return {
    all: async <T = Row>(sql: string, params?: readonly SqlParam[]) =>
      (await query(sql, params)).rows as readonly T[],
    get: async <T = Row>(sql: string, params?: readonly SqlParam[]) =>
      (await query(sql, params)).rows[0] as T | undefined,
  };
}

async function openView(address: PostgresAddress, lockMs: number, place: string): Promise<View> {
  const client = await connect(address, lockMs);
  try {
    // A view may be open for longer than the limit of a transaction that writes.
    await client.exec(
      "SET idle_in_transaction_session_timeout = 0; BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1",
    );
  } catch (error) {
    await client.close();
    throw error;
  }
  const reader = readerOf(client.query);
  return { ...reader, dialect: new PostgresDialect(reader, place), close: () => client.close() };
}

const stillInTransaction = (): Error =>
  new Error("the Db waited too long for a transaction: was it used inside its own? use the Tx there");
