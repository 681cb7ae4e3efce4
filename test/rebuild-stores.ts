import { join } from "node:path";
import { systemClock } from "../src/base/clock.ts";
import type { TableWrite } from "../src/events/event.ts";
import { openEventLog } from "../src/events/event-log.ts";
import { record } from "../src/events/outbox-store.ts";
import type { Db, SqlValue, Tx } from "../src/store/db.ts";
import { openStore } from "../src/store/open-store.ts";
import { putNewStore } from "./temp-store.ts";

const now = new Date("2026-01-02T03:04:05.678Z");

/** Stores and logs with new names in one folder. */
export interface RebuildStores {
  withStore<T>(work: (db: Db) => Promise<T>): Promise<T>;
  newLog(): string;
}

export function rebuildStores(folder: string): RebuildStores {
  let made = 0;
  return {
    newLog: () => {
      made += 1;
      return join(folder, `${made}.jsonl`);
    },
    withStore: async (work) => {
      made += 1;
      const path = join(folder, `${made}.db`);
      await putNewStore(path);
      const db = await openStore({ path, history: null });
      try {
        return await work(db);
      } finally {
        await db.close();
      }
    },
  };
}

/** Brings what waits in the store to the log. */
export const flushTo = (db: Db, file: string): Promise<void> =>
  openEventLog({ db, file, clock: systemClock }).flush();

/** Writes a row as the stores do: an upsert, then the row as the table has it. */
export async function writeRow(
  tx: Tx,
  table: string,
  key: readonly string[],
  row: Record<string, SqlValue>,
): Promise<void> {
  const names = Object.keys(row);
  const changes = names.map((name) => `${name} = excluded.${name}`).join(", ");
  await tx.run(
    `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})
     ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${changes}`,
    Object.values(row),
  );
  const full = await tx.get(
    `SELECT * FROM ${table} WHERE ${key.map((name) => `${name} = ?`).join(" AND ")}`,
    key.map((name) => row[name] ?? null),
  );
  const rows: readonly TableWrite[] = [{ table, op: "put", row: full ?? {} }];
  await record(tx, { type: "note.added", rows }, now);
}
