import type { Reader, Row, Tx } from "../store/db.ts";
import type { TableWrite } from "./event.ts";
import { processTables, tablesOfProcesses } from "./rows/known-tables.ts";
import { replayWrites } from "./rows/replay-writes.ts";

/** Far more than one run needs. */
const newest = "ORDER BY started_at DESC LIMIT 50";

/** Returns the rows that say which process holds what, of the newest runs: a rebuild from the log leaves these tables empty. */
export async function readProcessRows(q: Reader): Promise<readonly TableWrite[]> {
  const writes: TableWrite[] = [];
  for (const table of processTables) {
    const some = table === "runs" || table === "iterations" ? newest : "";
    const rows = await q.all<Row>(`SELECT * FROM ${table} ${some}`);
    writes.push(...rows.map((row) => ({ table, op: "put", row }) as const));
  }
  return writes;
}

/** Writes these rows into a store that was rebuilt. */
export async function writeProcessRows(tx: Tx, writes: readonly TableWrite[]): Promise<void> {
  await tx.dialect.deferForeignKeys();
  await replayWrites(tx, await tablesOfProcesses(tx), writes);
}
