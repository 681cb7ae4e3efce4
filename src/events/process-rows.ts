import { clip, count, oneLine } from "../base/text.ts";
import type { Reader, Row, Tx } from "../store/db.ts";
import type { TableWrite } from "./event.ts";
import { processTables, tablesOfProcesses } from "./rows/known-tables.ts";
import { replayWrites } from "./rows/replay-writes.ts";
import { tamperedRows } from "./rows/tampered-rows.ts";

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

const commits = "pending_commits";

/** A run, and its iteration; null: none. */
interface AtWork {
  readonly runId: string | null;
  readonly iterationId: string | null;
}

/**
 * Returns the rows about what is at work before an agent, or code that it may have written, runs: the run, the iteration, the state
 * of the working tree, the commits that wait, and the claims on their tasks. A deletion stands for a state that is not there.
 */
export async function readRowsAtWork(q: Reader, at: AtWork): Promise<readonly TableWrite[]> {
  const waiting = `SELECT task_id FROM ${commits} WHERE finished_at IS NULL`;
  const which = [
    { table: "runs", where: "id = ?", params: [at.runId] },
    { table: "iterations", where: "id = ?", params: [at.iterationId] },
    { table: "workspace_state", where: "id = 1", params: [] },
    { table: commits, where: "finished_at IS NULL", params: [] },
    { table: "claims", where: `task_id IN (${waiting})`, params: [] },
  ];
  const writes: TableWrite[] = [];
  for (const { table, where, params } of which) {
    const rows = await q.all<Row>(`SELECT * FROM ${table} WHERE ${where}`, params);
    writes.push(...rows.map((row) => ({ table, op: "put", row }) as const));
    if (rows.length === 0 && table === "workspace_state")
      writes.push({ table, op: "delete", row: { id: 1 } });
  }
  return writes;
}

/** Tables that ralph does not write while an agent, or code that it may have written, runs. */
const restTables: readonly string[] = ["workspace_state", commits];

/** Reports whether ralph itself wrote a row since: `is`, which was `was`. */
export type IsOwnRow = (table: string, is: Row, was: Row | undefined) => boolean;

/**
 * Restores the rows about the working tree and about commits that differ from `before`, except those for which `isOwn` returns true.
 * Returns a warning for each.
 */
export async function restoreProcessRows(
  tx: Tx,
  before: Reader,
  isOwn: IsOwnRow = () => false,
): Promise<readonly string[]> {
  const all = await tablesOfProcesses(tx);
  const known = new Map([...all].filter(([name]) => restTables.includes(name)));
  const found = await tamperedRows(tx, { before }, { known, logged: new Map() });
  const writes: TableWrite[] = [];
  const names: string[] = [];
  for (const write of found) {
    const { op, table, row } = write;
    const is = await rowLike(tx, write);
    if (is && isOwn(table, is, await rowLike(before, write))) continue;
    writes.push(write);
    const name = processRowName(table, op === "put" ? row : (is ?? row));
    names.push(
      `${op === "put" ? "put back" : "removed"} ${name}: it was ${op === "put" ? "changed" : "added"} other than by ralph`,
    );
  }
  await writeProcessRows(tx, writes);
  return firstOf(names, "record");
}

async function rowLike(q: Reader, { table, row }: TableWrite): Promise<Row | undefined> {
  const key = table === commits ? "iteration_id" : "id";
  return q.get<Row>(`SELECT * FROM ${table} WHERE ${key} = ?`, [row[key] ?? null]);
}

/** An agent can add any number of rows. */
const maxNamedRows = 10;

/** Returns the first of sentences about rows, and one that counts the others. */
export function firstOf(sentences: readonly string[], what: string): readonly string[] {
  const more = sentences.length - maxNamedRows;
  if (more <= 0) return sentences;
  return [...sentences.slice(0, maxNamedRows), `the same for ${count(more, `more ${what}`)}`];
}

/** Returns the name of a row about a process, for a warning. */
export function processRowName(table: string, row: Row): string {
  const task = clip(oneLine(String(row["task_id"] ?? "")), 100);
  switch (table) {
    case "workspace_state":
      return "the record of the working tree";
    case "pending_commits":
      return `the record of a commit of ${task}`;
    case "claims":
      return `the claim on ${task}`;
    case "runs":
      return "the row of the killed run";
    default:
      return "the row of its iteration";
  }
}
