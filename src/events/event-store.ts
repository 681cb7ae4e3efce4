import type { RedactedText } from "../base/safe-text.ts";
import type { Reader, Tx } from "../store/port/db.ts";
import type { EventInput, EventType } from "./event.ts";
import { redactedJson, redactObject } from "./redact-json.ts";

/** A row of the table of events. `data` is JSON. */
export interface EventRow {
  readonly seq: number;
  readonly timestamp: string;
  readonly type: EventType;
  readonly runId: string | null;
  readonly data: RedactedText;
}

/** Rows that stay; older ones are removed once they are in the log. */
const maxKept = 5000;
/** How often, in events, old rows are removed. */
const pruneEvery = 500;
/** Maximum number of rows: a receiver that had as many waiting need not have lost one. */
export const maxRows: number = maxKept + pruneEvery;

/**
 * Records an event in the transaction of the change that it reports; `EventLog.flush` publishes it after the commit. Redacts secrets
 * in all of its texts.
 */
export async function record(
  tx: Tx,
  { type, runId = null, data = {} }: EventInput,
  now: Date,
): Promise<void> {
  tx.insertAtCommit("events", {
    timestamp: now.toISOString(),
    type,
    run_id: runId,
    data: redactedJson(redactObject(data)),
  });
}

const columns = 'seq, timestamp, type, run_id AS "runId", data';
const maxPart = { events: 2000, characters: 32 * 1024 * 1024 };

/** Returns the events after number `seq`, oldest first: as many as fit into memory, at least one. */
export async function eventsAfter(q: Reader, seq: number): Promise<readonly EventRow[]> {
  return q.all<EventRow>(
    `SELECT ${columns} FROM (
       SELECT *, sum(length(data)) OVER (ORDER BY seq) AS total, row_number() OVER (ORDER BY seq) AS place FROM
         (SELECT * FROM events WHERE seq > ? ORDER BY seq LIMIT ?) AS next
     ) AS part WHERE total <= ? OR place = 1 ORDER BY seq`,
    [seq, maxPart.events, maxPart.characters],
  );
}

/** Returns event `seq`; undefined: there is none, or it was removed. */
export async function eventAt(q: Reader, seq: number): Promise<EventRow | undefined> {
  return q.get<EventRow>(`SELECT ${columns} FROM events WHERE seq = ?`, [seq]);
}

/** Returns the last events whose type begins with `prefix`, oldest first. */
export async function lastEvents(
  q: Reader,
  prefix: string,
  count: number,
): Promise<readonly Pick<EventRow, "type" | "runId" | "data">[]> {
  const rows = await q.all<Pick<EventRow, "type" | "runId" | "data">>(
    'SELECT type, run_id AS "runId", data FROM events WHERE substr(type, 1, ?) = ? ORDER BY seq DESC LIMIT ?',
    [prefix.length, prefix, count],
  );
  return [...rows].reverse();
}

/** Returns the events of a run of one type, oldest first, as far back as they are kept. */
export async function eventsOfRun(
  q: Reader,
  runId: string,
  type: EventType,
): Promise<readonly Pick<EventRow, "data">[]> {
  return q.all("SELECT data FROM events WHERE run_id = ? AND type = ? ORDER BY seq", [runId, type]);
}

/** The number of the last event that was ever recorded; 0: none. */
export async function lastEventNumber(q: Reader): Promise<number> {
  return q.dialect.lastNumber("events");
}

/** Permanently erases what the events of a run say; that they were stays. */
export async function eraseEvents(tx: Tx, runId: string): Promise<void> {
  await tx.run("UPDATE events SET data = '{}' WHERE run_id = ?", [runId]);
}

/** Removes old events when events `first` to `last` have passed a multiple of 500. All of them are in the log. */
export async function pruneEvents(tx: Tx, first: number, last: number): Promise<void> {
  if (Math.floor(last / pruneEvery) === Math.floor((first - 1) / pruneEvery)) return;
  await tx.run("DELETE FROM events WHERE seq <= ?", [last - maxKept]);
}
