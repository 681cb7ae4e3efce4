import { setImmediate } from "node:timers/promises";
import type { Redacted } from "../../base/safe-text.ts";
import type { Reader, Row } from "../../store/db.ts";
import { quoted } from "../../store/dialect.ts";
import type { RalphEvent, TableWrite } from "../event.ts";
import { redactObject, redactWrite } from "../redact-json.ts";
import { foldWrites } from "../rows/fold-writes.ts";
import { knownTables } from "../rows/known-tables.ts";

const rowsPerLine = 200;
const type = "store.snapshot";

/**
 * Returns every row of tasks and memory as events for the log. The log needs a snapshot when it does not contain all
 * earlier writes, because the rows are older than the log or the log was lost. A complete snapshot replaces the rows of
 * all lines before it.
 */
export async function takeSnapshot(q: Reader, now: Date): Promise<readonly Redacted<RalphEvent>[]> {
  const writes: TableWrite[] = [];
  for (const { name } of (await knownTables(q)).values()) {
    for (const row of await q.all<Row>(`SELECT * FROM ${quoted(name)}`)) {
      writes.push({ table: name, op: "put", row });
    }
  }
  const parts = Math.max(1, Math.ceil(writes.length / rowsPerLine));
  const timestamp = now.toISOString();
  const events: Redacted<RalphEvent>[] = [];
  for (let index = 0; index < parts; index++) {
    const rows = foldWrites(writes.slice(index * rowsPerLine, (index + 1) * rowsPerLine)).map(redactWrite);
    events.push({ timestamp, type, jobId: null, ...redactObject({ part: index + 1, parts }), rows });
    // Redacting 10,000 rows takes a second, in which a signal would wait.
    await setImmediate();
  }
  return events;
}

/** Returns true for a part of a snapshot. */
export function isSnapshot(event: RalphEvent): boolean {
  return event.type === type;
}

/** Creates a finder that is fed all events and knows where the last complete snapshot begins. `at` is a line number. */
export function createSnapshotFinder(): { see(event: RalphEvent, at: number): void; readonly begin: number } {
  let begin = 0;
  let candidate = 0;
  let next = 1;
  return {
    see: (event, at) => {
      if (!isSnapshot(event)) return;
      if (event["part"] === 1) {
        candidate = at;
        next = 1;
      }
      next = event["part"] === next ? next + 1 : 0;
      if (next > Number(event["parts"])) begin = candidate;
    },
    get begin() {
      return begin;
    },
  };
}
