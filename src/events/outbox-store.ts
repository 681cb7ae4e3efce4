import type { RedactedText } from "../base/safe-text.ts";
import type { Reader, Seal, Tx } from "../store/db.ts";
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
  /** Null: recorded without the project's key. */
  readonly seal: string | null;
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
  const event = {
    timestamp: now.toISOString(),
    type,
    runId,
    data: redactedJson(redactObject(data)),
    rows: redactedJson(foldWrites(rows).map(redactWrite)),
  };
  // The seal covers the number, so that an old event cannot be recorded again. The transaction keeps other writers out.
  const seq = tx.seal === null ? null : (await tx.dialect.lastNumber("outbox")) + 1;
  const seal = tx.seal === null || seq === null ? null : tx.seal.seal(sealedText({ ...event, seq }));
  await tx.run(
    "INSERT INTO outbox (seq, timestamp, type, run_id, data, rows, seal) VALUES (?, ?, ?, ?, ?, ?, ?)",
    [seq, event.timestamp, type, runId, event.data, event.rows, seal],
  );
}

/** Returns false for an event that no process with the project's key recorded. Without a key, every event is believed. */
export function isSealed(seal: Seal | null, event: PendingEvent): boolean {
  if (seal === null || seal.keyId === null) return true;
  return event.seal !== null && event.seal === seal.seal(sealedText(event));
}

function sealedText({ seq, timestamp, type, runId, data, rows }: Omit<PendingEvent, "seal">): string {
  return `event\n${seq}\n${timestamp}\n${type}\n${runId ?? ""}\n${data}\n${rows}`;
}

export async function hasPending(q: Reader): Promise<boolean> {
  return (await q.get("SELECT 1 FROM outbox LIMIT 1")) !== undefined;
}

/** Returns true for far more events than ralph leaves in the outbox, recorded without the project's key: an agent wrote them. */
export async function isFlooded(q: Reader, seal: Seal | null): Promise<boolean> {
  const sql = `${pendingColumns} ORDER BY seq LIMIT 1 OFFSET ?`;
  const event = await q.get<PendingEvent>(sql, [maxPending]);
  return event !== undefined && !isSealed(seal, event);
}

/** Returns the events that are not in the log yet, oldest first. */
export async function readPending(q: Reader): Promise<readonly PendingEvent[]> {
  return q.all<PendingEvent>(`${pendingColumns} ORDER BY seq`);
}

/** As `readPending`, the first ones only: as many as fit into memory, at least one. */
export async function readFirstPending(q: Reader): Promise<readonly PendingEvent[]> {
  const sizes = await q.all<{ seq: number; size: number }>(
    "SELECT seq, octet_length(data) + octet_length(rows) AS size FROM outbox ORDER BY seq LIMIT ?",
    [maxPart.events],
  );
  let bytes = 0;
  const over = sizes.findIndex(({ size }, at) => {
    bytes += size;
    return at > 0 && bytes > maxPart.bytes;
  });
  const last = sizes.at(over < 0 ? -1 : over - 1);
  return q.all<PendingEvent>(`${pendingColumns} WHERE seq <= ? ORDER BY seq`, [last?.seq ?? 0]);
}

const pendingColumns = 'SELECT seq, timestamp, type, run_id AS "runId", data, rows, seal FROM outbox';
const maxPending = 50_000;
const maxPart = { events: 5000, bytes: 32 * 1024 * 1024 };

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
