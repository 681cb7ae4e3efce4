import { clip, count, oneLine } from "../base/text.ts";
import type { Reader, Row, Tx } from "../store/db.ts";
import type { TableWrite } from "./event.ts";
import { type KnownTables, tablesOfProcesses } from "./rows/known-tables.ts";
import { replayWrites } from "./rows/replay-writes.ts";
import { rowOf, tamperedRows } from "./rows/tampered-rows.ts";

/** Writes these rows into a store that was rebuilt. */
export async function writeProcessRows(tx: Tx, writes: readonly TableWrite[]): Promise<void> {
  await tx.dialect.deferForeignKeys();
  await replayWrites(tx, await tablesOfProcesses(tx), writes);
}

/** Tables that ralph does not write while an agent, or code that it may have written, runs. */
const restTables: readonly string[] = ["workspace_state", "pending_commits"];

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
    const is = await storedRow(tx, known, write);
    if (is && isOwn(table, is, await storedRow(before, known, write))) continue;
    writes.push(write);
    const name = processRowName(table, op === "put" ? row : (is ?? row));
    names.push(
      `${op === "put" ? "put back" : "removed"} ${name}: it was ${op === "put" ? "changed" : "added"} other than by ralph`,
    );
  }
  await writeProcessRows(tx, writes);
  return firstOf(names, "record");
}

/** Returns the row with the key of a noted row, as it is now. */
export async function currentRow(q: Reader, noted: TableWrite): Promise<Row | undefined> {
  return storedRow(q, await tablesOfProcesses(q), noted);
}

async function storedRow(
  q: Reader,
  known: KnownTables,
  { table, row }: TableWrite,
): Promise<Row | undefined> {
  const at = known.get(table);
  return at && rowOf(q, at, row);
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
