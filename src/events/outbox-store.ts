import type { RedactedText } from "../base/safe-text.ts";
import type { Reader, Tx } from "../store/db.ts";
import type { EventInput, EventType } from "./event.ts";
import { redactedJson, redactObject, redactWrite } from "./redact-json.ts";
import { foldWrites } from "./rows/fold-writes.ts";

/** An event that is not in the log yet. `data` and `rows` are JSON. */
export interface PendingEvent {
  readonly seq: number;
  readonly timestamp: string;
  readonly type: EventType;
  readonly runId: string | null;
  readonly data: RedactedText;
  readonly rows: RedactedText;
}

/**
 * Records an event in the transaction of the writes that it describes; `EventLog.flush` moves it to the log after the
 * commit. Redacts secrets in all of its texts, including its rows.
 */
export async function record(
  tx: Tx,
  { type, runId = null, data = {}, rows = [] }: EventInput,
  now: Date,
): Promise<void> {
  await tx.run("INSERT INTO outbox (timestamp, type, run_id, data, rows) VALUES (?, ?, ?, ?, ?)", [
    now.toISOString(),
    type,
    runId,
    redactedJson(redactObject(data)),
    redactedJson(foldWrites(rows).map(redactWrite)),
  ]);
}

export async function hasPending(q: Reader): Promise<boolean> {
  return (await q.get("SELECT 1 FROM outbox LIMIT 1")) !== undefined;
}

export async function readPending(q: Reader): Promise<readonly PendingEvent[]> {
  return q.all<PendingEvent>(
    `SELECT seq, timestamp, type, run_id AS "runId", data, rows FROM outbox ORDER BY seq`,
  );
}

/** Returns the events that are not in the log yet, without their rows, oldest first. */
export async function pendingEvents(
  q: Reader,
): Promise<readonly Pick<PendingEvent, "seq" | "type" | "data">[]> {
  return q.all("SELECT seq, type, data FROM outbox ORDER BY seq");
}

/** Removes the events up to `seq`, which the log now contains. */
export async function removePending(tx: Tx, seq: number): Promise<void> {
  await tx.run("DELETE FROM outbox WHERE seq <= ?", [seq]);
}

/** Makes the number of the next event follow `seq`. */
export async function continueAfter(tx: Tx, seq: number): Promise<void> {
  await tx.dialect.continueNumbers("outbox", seq);
}
