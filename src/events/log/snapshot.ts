import type { JsonObject } from "../../base/json.ts";
import type { Reader, Row } from "../../store/db.ts";
import { quoted } from "../../store/dialect.ts";
import type { RalphEvent, TableWrite } from "../event.ts";
import { redactObject } from "../redact-json.ts";
import { knownTables } from "../rows/known-tables.ts";

const rowsPerLine = 200;
const type = "store.snapshot";

/**
 * Every row of tasks and memory, as events for the log: written where the log does not hold all that led to them,
 * because the rows are older than it or it was lost. Rows of lines before a whole snapshot count no more.
 */
export async function takeSnapshot(q: Reader, now: Date): Promise<readonly RalphEvent[]> {
  const writes: TableWrite[] = [];
  for (const { name } of (await knownTables(q)).values()) {
    for (const row of await q.all<Row>(`SELECT * FROM ${quoted(name)}`)) {
      writes.push({ table: name, op: "put", row: redactObject(row as JsonObject) as Row });
    }
  }
  const parts = Math.max(1, Math.ceil(writes.length / rowsPerLine));
  const timestamp = now.toISOString();
  return Array.from({ length: parts }, (_, index) => {
    const rows = writes.slice(index * rowsPerLine, (index + 1) * rowsPerLine);
    return { timestamp, type, jobId: null, part: index + 1, parts, rows };
  });
}

/** Watches lines go by and knows where the last whole snapshot began; `at` is the line's number. */
export function createSnapshotFinder(): { see(event: RalphEvent, at: number): void; readonly begin: number } {
  let begin = 0;
  let candidate = 0;
  let next = 1;
  return {
    see: (event, at) => {
      if (event.type !== type) return;
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
