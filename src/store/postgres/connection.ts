import { setTimeout as sleep } from "node:timers/promises";
import { RalphError } from "../../base/errors.ts";
import type { StoreOptions } from "../port/db.ts";
import type { PostgresAddress } from "./address.ts";
import { type Client, connect } from "./client.ts";

const pauses = { firstMs: 100, maxMs: 3000 };

/** A session that begins again when it is lost. */
interface Connection {
  /** Runs `work`, and again when the session was lost meanwhile: what it wrote was rolled back then. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Returns true for a transaction that was committed though its session was lost; null: one that may be repeated. */
  wasCommitted(id: string | null): Promise<boolean>;
  close(): Promise<void>;
}

interface Wanted extends Required<Pick<StoreOptions, "onWait" | "waitMs">> {
  readonly first: Client;
  readonly lockMs: number;
}

export function openConnection(address: PostgresAddress, wanted: Wanted): Connection {
  let client = wanted.first;
  const reconnect = async (): Promise<void> => {
    // Not awaited: a session behind a closed port never answers.
    void client.close().catch(() => undefined);
    client = await connectAgain(address, wanted);
  };
  const use = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    for (;;) {
      if (client.isOver) await reconnect();
      try {
        return await work(client);
      } catch (error) {
        if (!isLost(error)) throw error;
        await reconnect();
      }
    }
  };
  const wasCommitted = async (id: string | null): Promise<boolean> => {
    if (id === null) return false;
    await reconnect();
    for (;;) {
      const sql = "SELECT pg_xact_status(?::xid8) AS status";
      const status = (await use((now) => now.query(sql, [id]))).rows[0]?.["status"];
      if (status !== "in progress") return status === "committed";
      await sleep(pauses.firstMs);
    }
  };
  return { use, wasCommitted, close: () => client.close().catch(() => undefined) };
}

/** Connects with growing pauses. */
async function connectAgain(address: PostgresAddress, { lockMs, waitMs, onWait }: Wanted): Promise<Client> {
  const deadline = performance.now() + waitMs;
  let isWaiting = false;
  for (let pause = pauses.firstMs; ; pause = Math.min(2 * pause, pauses.maxMs)) {
    try {
      const client = await connect(address, lockMs);
      if (isWaiting) onWait(null);
      return client;
    } catch (error) {
      if (!isLost(error) || performance.now() > deadline) throw error;
      if (!isWaiting) onWait(error);
      isWaiting = true;
    }
    await sleep(pause * (0.5 + Math.random()));
  }
}

/** True where the session was lost, or could not begin. */
export function isLost(error: unknown): boolean {
  return error instanceof RalphError && error.code === "RALPH_STORE_UNREACHABLE";
}
