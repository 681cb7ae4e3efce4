import { type FileHandle, open } from "node:fs/promises";
import { carefulRead } from "../base/careful-files.ts";
import { messageOf, RalphError } from "../base/errors.ts";
import type { Db, Seal, Tx } from "../store/db.ts";
import { quoted } from "../store/dialect.ts";
import type { LogHead } from "../trust/project-key.ts";
import type { RalphEvent } from "./event.ts";
import { countLines } from "./log/line-form.ts";
import { streamLineBytes } from "./log/log-file.ts";
import { createDuplicateFilter } from "./log/log-line.ts";
import { createMissingLines, type MissingLines } from "./log/missing-lines.ts";
import { createSnapshotFinder, isSnapshot } from "./log/snapshot.ts";
import { createLineVerifier, type LineVerdict } from "./log/verify-lines.ts";
import { continueAfter } from "./outbox-store.ts";
import { type KnownTables, knownTables } from "./rows/known-tables.ts";
import { repairOrphans } from "./rows/repair-orphans.ts";
import { replayWrites } from "./rows/replay-writes.ts";
import { createColumnRecord, type UnnamedColumns } from "./rows/unnamed-columns.ts";

interface Rebuilt {
  /** The number of rows in the store afterwards. */
  readonly rows: number;
  /** Lines that were not events of ralph, or had a row that could not be written. */
  readonly skippedLines: number;
  /** Why events may be missing in the log; null: none is. */
  readonly fault: string | null;
  /** The columns of rows that no event names, as events of earlier versions do not. */
  readonly unnamed: UnnamedColumns;
}

interface RebuildOptions {
  /** The project's key; default: none. */
  readonly seal?: Seal | null;
  /**
   * Default true. False ignores snapshots after the start of the last iteration: they show the rows as its agent left them,
   * whoever wrote these. Events count nevertheless, and snapshots that a person accepted by a repair.
   */
  readonly lastSnapshots?: boolean;
  /** The end of the log as it was kept outside the project; default: none. */
  readonly head?: LogHead | null;
}

/**
 * Repeats the writes of an event log on a store without tasks and memory, in one transaction. Skips columns and tables
 * that the store does not have, and lines that the project's key shows to be damaged or forged. Events recorded
 * afterwards continue the same log. Errors: `RALPH_STORE_MISSING` when the
 * log cannot be read; a plain `Error` when the store has rows.
 */
export async function rebuildFromLog(
  db: Db,
  file: string,
  { seal = null, lastSnapshots = true, head = null }: RebuildOptions = {},
): Promise<Rebuilt> {
  const handle = await openLog(file);
  try {
    return await db.transaction((tx) => replay(tx, handle, { seal, lastSnapshots, head }));
  } finally {
    await handle.close();
  }
}

async function replay(tx: Tx, handle: FileHandle, options: Required<RebuildOptions>): Promise<Rebuilt> {
  const tables = await knownTables(tx);
  if ((await countRows(tx, tables)) > 0) throw new Error("a log can be replayed only into an empty store");
  await tx.dialect.deferForeignKeys();
  const range = await findReplayStart(handle, options);
  const columns = createColumnRecord(tables);
  let skippedLines = 0;
  const missing = createMissingLines(options.head);
  for await (const { event, isUsable, lines } of neededLines(handle, range, {
    seal: options.seal,
    missing,
  })) {
    if (!isUsable || !(await replayWrites(tx, tables, event?.rows))) skippedLines += lines;
    else columns.see(event?.rows);
  }
  await repairOrphans(tx);
  if (range.lastSeq > 0) await continueAfter(tx, range.lastSeq);
  const begins = range.begin > 0 || range.firstSeq === 1;
  const fault = begins ? missing.fault() : "its beginning is missing";
  return { rows: await countRows(tx, tables), skippedLines, fault, unnamed: columns.unnamed };
}

interface NeededLine {
  readonly event: RalphEvent | undefined;
  /** False: it is not an event of ralph. */
  readonly isUsable: boolean;
  /** How many lines it is. */
  readonly lines: number;
}

/** Yields the lines that a replay needs, once each, and those of which that is unknown. */
async function* neededLines(
  handle: FileHandle,
  { begin, until }: ReplayRange,
  { seal, missing }: { readonly seal: Seal | null; readonly missing: MissingLines },
): AsyncGenerator<NeededLine> {
  const isDuplicate = createDuplicateFilter();
  const verifier = createLineVerifier(seal);
  let at = 0;
  for await (const line of streamLineBytes(handle)) {
    const { all, filled } = countLines(line);
    at += all;
    const verdict = verifier.next(line);
    const { state, event } = verdict;
    if (at >= begin && filled > 0) missing.see(verdict);
    const isUsable = event !== undefined && state !== "bad" && state !== "unverified";
    // What is before a snapshot is in it.
    const isNeeded = at >= begin && !(at > until && event !== undefined && isSnapshot(event));
    if (isUsable ? isNeeded && !isDuplicate(event) : (isNeeded || event === undefined) && filled > 0)
      yield { event, isUsable, lines: filled };
  }
}

interface ReplayRange {
  /** The line where the last complete snapshot begins; 0: there is none. */
  readonly begin: number;
  /** The last line at which snapshots count. */
  readonly until: number;
  /** The number of the first event; 0: there is none. */
  readonly firstSeq: number;
  readonly lastSeq: number;
}

async function findReplayStart(
  handle: FileHandle,
  { seal, lastSnapshots }: Required<RebuildOptions>,
): Promise<ReplayRange> {
  const snapshots = createSnapshotFinder();
  const agent = { begin: 0, until: Number.POSITIVE_INFINITY };
  let firstSeq = 0;
  let lastSeq = 0;
  let at = 0;
  const verifier = createLineVerifier(seal);
  for await (const line of streamLineBytes(handle)) {
    at += countLines(line).all;
    const { state, event } = verifier.next(line);
    if (event && state !== "bad") snapshots.see(event, at);
    if (isTrustedState(state, event)) {
      agent.begin = snapshots.begin;
      agent.until = at;
    }
    if (firstSeq === 0) firstSeq = event?.seq ?? 0;
    lastSeq = event?.seq ?? lastSeq;
  }
  const every = { begin: snapshots.begin, until: Number.POSITIVE_INFINITY };
  const range = lastSnapshots || agent.until > at ? every : agent;
  return { ...range, firstSeq, lastSeq };
}

/**
 * Returns true for the start of an iteration, before which no agent changed the rows of a snapshot, and where a person accepted the
 * snapshot before it.
 */
function isTrustedState(state: LineVerdict["state"], event: RalphEvent | undefined): boolean {
  if (event?.type === "iteration.started") return state === "sealed" || state === "older";
  return event?.type === "log.repaired" && event["accepted"] === true && state === "sealed";
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
    return await openRegular(file);
  } catch (cause) {
    throw new RalphError("RALPH_STORE_MISSING", `cannot read the event log ${file}: ${messageOf(cause)}`, {
      hint: "look for a backup in the folder `backups` beside the store: only the log allows a rebuild",
      cause,
    });
  }
}

/** Follows no link and waits for no pipe. */
async function openRegular(file: string): Promise<FileHandle> {
  const handle = await open(file, carefulRead);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error("it is not a file");
}
