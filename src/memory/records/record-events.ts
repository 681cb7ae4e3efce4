import type { TableWrite } from "../../events/event.ts";
import { record as recordEvent } from "../../events/outbox-store.ts";
import type { Tx } from "../../store/db.ts";

const rowsPerEvent = 200;

/** Records events of one type that describe these writes, at most `rowsPerEvent` in each. */
export async function recordRows(
  tx: Tx,
  event: Pick<Parameters<typeof recordEvent>[1], "type" | "runId" | "data">,
  rows: readonly TableWrite[],
  now: Date,
): Promise<void> {
  for (let at = 0; at < rows.length; at += rowsPerEvent)
    await recordEvent(tx, { ...event, rows: rows.slice(at, at + rowsPerEvent) }, now);
}
