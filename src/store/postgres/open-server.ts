import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { RalphError } from "../../base/errors.ts";
import type { Db, Row, SqlParam, StoreOptions, Tx, View } from "../port/db.ts";
import { createQueue } from "../port/queue.ts";
import { type PostgresAddress, postgresAddress } from "./address.ts";
import { type Client, connect } from "./client.ts";
import { PostgresDialect } from "./dialect.ts";
import { countWrite, createSchema, lockOf } from "./schema-store.ts";
import { inTransaction } from "./transaction.ts";

/** How long a statement waits for another process's lock. */
const defaultLockMs = 5000;
/** How long a call waits for a server that is gone, and for a running transaction of this process. */
const maxWait = { serverMs: 30_000, firstPauseMs: 100, maxPauseMs: 3000, queuedMs: 120_000 };

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
  return createDb(address, { first, lockMs, readOnly: options.readOnly ?? false, place });
}

interface Session {
  readonly first: Client;
  readonly lockMs: number;
  readonly readOnly: boolean;
  /** `Dialect.place`. */
  readonly place: string;
}

function createDb(address: PostgresAddress, session: Session): Db {
  const { first, lockMs, readOnly, place } = session;
  let client = first;
  let ownWrites = 0;
  let isInTransaction = false;
  let closing: Promise<void> | undefined;
  const queue = createQueue();
  const use = <T>(work: (now: Client) => Promise<T>): Promise<T> => {
    const checked = async (): Promise<T> => {
      if (closing !== undefined)
        throw new Error(`the store ${address.location} was used after it was closed`);
      if (client.isOver) client = await reconnect(address, lockMs);
      return work(client);
    };
    return isInTransaction
      ? queue.within({ ms: maxWait.queuedMs, late: stillInTransaction }, checked)
      : queue(checked);
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
        await begin(now, `BEGIN; ${durable ? "" : relaxed}${before}`);
        isInTransaction = true;
        try {
          const result = await inTransaction(now, { commit: after, place }, work);
          ownWrites += Number(alone);
          return result;
        } finally {
          isInTransaction = false;
        }
      }),
    view: () => openView(address, lockMs, place),
    close: () => {
      closing ??= queue(() => client.close().catch(() => undefined));
      return closing;
    },
  };
}

const relaxed = "SET LOCAL synchronous_commit = off; ";

async function begin(client: Client, sql: string): Promise<void> {
  try {
    await client.exec(sql);
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

/** Connects again after the session was lost, with growing pauses. */
async function reconnect(address: PostgresAddress, lockMs: number): Promise<Client> {
  const deadline = performance.now() + maxWait.serverMs;
  for (let pause = maxWait.firstPauseMs; ; pause = Math.min(2 * pause, maxWait.maxPauseMs)) {
    try {
      return await connect(address, lockMs);
    } catch (error) {
      const isGone = error instanceof RalphError && error.code === "RALPH_STORE_UNREACHABLE";
      if (!isGone || performance.now() > deadline) throw error;
    }
    await sleep(pause * (0.5 + Math.random()));
  }
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
