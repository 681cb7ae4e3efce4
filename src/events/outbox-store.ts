import type { JsonObject } from "../base/json.ts";
import type { Reader, Tx } from "../store/db.ts";
import type { EventInput } from "./event.ts";
import { redactObject } from "./redact-json.ts";

/** An event that waits for the log; `data` and `rows` are JSON. */
export interface PendingEvent {
  readonly seq: number;
  readonly timestamp: string;
  readonly type: string;
  readonly runId: string | null;
  readonly data: string;
  readonly rows: string;
}

/** Events that one statement stores. */
const batch = 32;

/**
 * Notes an event in the transaction of the writes that it tells of; `EventLog.flush` brings it to the log after the
 * commit. Secrets are taken out of its texts, its rows included.
 */
export async function record(tx: Tx, event: EventInput, now: Date): Promise<void> {
  await recordAll(tx, [event], now);
}

/** Records events in this order, with fewer statements than one by one. */
export async function recordAll(tx: Tx, events: readonly EventInput[], now: Date): Promise<void> {
  const at = now.toISOString();
  for (let from = 0; from < events.length; from += batch) {
    const some = events.slice(from, from + batch);
    const values = some.map(() => "(?, ?, ?, ?, ?)").join(", ");
    const params = some.flatMap((event) => {
      const rows = (event.rows ?? []).map((write) => ({
        ...write,
        row: redactObject(write.row as JsonObject),
      }));
      const data = redactObject(event.data ?? {});
      return [at, event.type, event.runId ?? null, JSON.stringify(data), JSON.stringify(rows)];
    });
    await tx.run(`INSERT INTO outbox (timestamp, type, run_id, data, rows) VALUES ${values}`, params);
  }
}

export async function hasPending(q: Reader): Promise<boolean> {
  return (await q.get("SELECT 1 FROM outbox LIMIT 1")) !== undefined;
}

export async function readPending(q: Reader): Promise<readonly PendingEvent[]> {
  return q.all<PendingEvent>(
    `SELECT seq, timestamp, type, run_id AS "runId", data, rows FROM outbox ORDER BY seq`,
  );
}

/** Takes out what the log holds now: all up to `seq`. */
export async function removePending(tx: Tx, seq: number): Promise<void> {
  await tx.run("DELETE FROM outbox WHERE seq <= ?", [seq]);
}

/** Makes the next event's number follow `seq`. */
export async function continueAfter(tx: Tx, seq: number): Promise<void> {
  await tx.dialect.continueNumbers("outbox", seq);
}
