import type { Reader, Row, Tx } from "../store/db.ts";
import type { TableWrite } from "./event.ts";
import { processTables, tablesOfProcesses } from "./rows/known-tables.ts";
import { replayWrites } from "./rows/replay-writes.ts";

/** The newest rows that are kept. A run needs its own row, and has one iteration and one commit at a time. */
const kept: Readonly<Record<string, readonly [column: string, rows: number]>> = {
  runs: ["started_at", 20],
  iterations: ["started_at", 10],
  pending_commits: ["created_at", 20],
};

/** Returns the rows that say which process holds what, of the newest runs: a rebuild from the log leaves these tables empty. */
export async function readProcessRows(q: Reader): Promise<readonly TableWrite[]> {
  const writes: TableWrite[] = [];
  for (const table of processTables) {
    const [column, rows] = kept[table] ?? [];
    const some = column === undefined ? "" : `ORDER BY ${column} DESC LIMIT ${rows}`;
    const found = await q.all<Row>(`SELECT * FROM ${table} ${some}`);
    writes.push(...found.map((row) => ({ table, op: "put", row }) as const));
  }
  return writes;
}

/** Writes these rows into a store that was rebuilt. */
export async function writeProcessRows(tx: Tx, writes: readonly TableWrite[]): Promise<void> {
  await tx.dialect.deferForeignKeys();
  await replayWrites(tx, await tablesOfProcesses(tx), writes);
}

/** Returns the rows of an iteration that is about to begin: its run, itself, and the state of the working tree. */
export async function readRowsAtWork(
  q: Reader,
  { runId, iterationId }: { readonly runId: string; readonly iterationId: string },
): Promise<readonly TableWrite[]> {
  const which = [
    { table: "runs", where: "id = ?", params: [runId] },
    { table: "iterations", where: "id = ?", params: [iterationId] },
    { table: "workspace_state", where: "id = 1", params: [] },
  ];
  const writes: TableWrite[] = [];
  for (const { table, where, params } of which) {
    const row = await q.get<Row>(`SELECT * FROM ${table} WHERE ${where}`, params);
    if (row) writes.push({ table, op: "put", row });
  }
  return writes;
}
