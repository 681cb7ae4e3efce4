import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { messageOf, RalphError } from "../base/errors.ts";
import type { Db, Seal, Tx } from "../store/db.ts";
import { quoted } from "../store/dialect.ts";
import { streamLineBytes } from "./log/log-file.ts";
import { createDuplicateFilter } from "./log/log-line.ts";
import { createSnapshotFinder } from "./log/snapshot.ts";
import { createLineVerifier } from "./log/verify-lines.ts";
import { continueAfter } from "./outbox-store.ts";
import { type KnownTables, knownTables } from "./rows/known-tables.ts";
import { repairOrphans } from "./rows/repair-orphans.ts";
import { replayWrites } from "./rows/replay-writes.ts";

interface Rebuilt {
  /** The number of rows in the store afterwards. */
  readonly rows: number;
  /** Lines that were not events of ralph, or had a row that could not be written. */
  readonly skippedLines: number;
}

/**
 * Repeats the writes of an event log on a store without tasks and memory, in one transaction. Skips columns and tables
 * that the store does not have, and lines that `seal`, the project's key, shows to be damaged or forged. Events recorded
 * afterwards continue the same log. Errors: `RALPH_STORE_MISSING` when the
 * log cannot be read; a plain `Error` when the store has rows.
 */
export async function rebuildFromLog(db: Db, file: string, seal: Seal | null = null): Promise<Rebuilt> {
  const handle = await openLog(file);
  try {
    return await db.transaction((tx) => replay(tx, handle, seal));
  } finally {
    await handle.close();
  }
}

async function replay(tx: Tx, handle: FileHandle, seal: Seal | null): Promise<Rebuilt> {
  const tables = await knownTables(tx);
  if ((await countRows(tx, tables)) > 0) throw new Error("a log can be replayed only into an empty store");
  await tx.dialect.deferForeignKeys();
  const { begin, lastSeq } = await findReplayStart(handle, seal);
  const isDuplicate = createDuplicateFilter();
  let skippedLines = 0;
  let at = 0;
  const verifier = createLineVerifier(seal);
  for await (const line of streamLineBytes(handle)) {
    at += 1;
    const { state, event } = verifier.next(line);
    if (event === undefined || state === "bad" || state === "unverified") {
      // What is before a snapshot is in it.
      const isNeeded = at >= begin || event === undefined;
      if (isNeeded && line?.length !== 0) skippedLines += 1;
    } else if (at >= begin && !isDuplicate(event) && !(await replayWrites(tx, tables, event.rows)))
      skippedLines += 1;
  }
  await repairOrphans(tx);
  if (lastSeq > 0) await continueAfter(tx, lastSeq);
  return { rows: await countRows(tx, tables), skippedLines };
}

/** Finds the line where the last complete snapshot begins, and the number of the last event. */
async function findReplayStart(
  handle: FileHandle,
  seal: Seal | null,
): Promise<{ begin: number; lastSeq: number }> {
  const snapshots = createSnapshotFinder();
  let lastSeq = 0;
  let at = 0;
  const verifier = createLineVerifier(seal);
  for await (const line of streamLineBytes(handle)) {
    at += 1;
    const { state, event } = verifier.next(line);
    if (event && state !== "bad") snapshots.see(event, at);
    lastSeq = event?.seq ?? lastSeq;
  }
  return { begin: snapshots.begin, lastSeq };
}

async function countRows(tx: Tx, tables: KnownTables): Promise<number> {
  let rows = 0;
  for (const name of tables.keys()) {
    rows += (await tx.get<{ n: number }>(`SELECT count(*) AS n FROM ${quoted(name)}`))?.n ?? 0;
  }
  return rows;
}

async function openLog(file: string): Promise<FileHandle> {
  try {
    return await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (cause) {
    throw new RalphError("RALPH_STORE_MISSING", `cannot read the event log ${file}: ${messageOf(cause)}`, {
      hint: "look for a backup in the folder `backups` beside the store: only the log allows a rebuild",
      cause,
    });
  }
}
