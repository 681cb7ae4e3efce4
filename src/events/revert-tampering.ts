import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Db, Tx } from "../store/db.ts";
import type { TableWrite } from "./event.ts";
import type { EventLog } from "./event-log.ts";
import { eventsAfter } from "./log/sealed-events.ts";
import { record } from "./outbox-store.ts";
import { knownTables } from "./rows/known-tables.ts";
import { type LogRows, withRebuiltRows } from "./rows/rebuilt-rows.ts";
import { repairOrphans } from "./rows/repair-orphans.ts";
import { replayWrites } from "./rows/replay-writes.ts";
import { rowNames, warningsOf } from "./rows/row-warnings.ts";
import { lastWrites, type RowBaseline, rowsOf, tamperedRows } from "./rows/tampered-rows.ts";

interface TamperBaseline extends RowBaseline {
  /** `.ralph/events.jsonl`. */
  readonly file: string;
}

/** Restoring one row can change others, as deep as tables refer to tables. */
const maxPasses = 4;

/**
 * Reverts rows of tasks and memory that someone other than ralph wrote. Every write of ralph records its row as an event,
 * so the expected rows are those of `before` with the events since then applied; events without a valid seal do not count.
 * Records what it restores as an event of run `runId`, and returns a warning for each row and for what else was found. Does not
 * detect tampering by a process that read the project's key. Ignores tables without a primary key.
 */
export async function revertTampering(
  tx: Tx,
  since: TamperBaseline,
  { runId, now }: { readonly runId: string | null; readonly now: Date },
): Promise<readonly string[]> {
  // First: they would answer each write of a row with writes of their own.
  const planted = await tx.dialect.dropStoredStatements();
  const after = await since.before.dialect.lastNumber("outbox");
  const { trusted, doubted } = await eventsAfter(tx, { seal: tx.seal, file: since.file, after });
  // An agent can add tables to a store; a rebuilt one has those of ralph.
  const known = await knownTables(since.unnamed ? since.before : tx);
  const logged = lastWrites(known, trusted);
  const all: TableWrite[] = [];
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const writes = await tamperedRows(tx, since, { known, logged });
    if (writes.length === 0) break;
    await tx.dialect.deferForeignKeys();
    await replayWrites(tx, known, writes);
    for (const one of writes) all.push(one);
  }
  if (all.length > 0) await repairOrphans(tx);
  // An agent can lower the number of the next event to one whose rows would not count.
  const highest = trusted.reduce((most, { seq = 0 }) => Math.max(most, seq), after);
  if ((await tx.dialect.lastNumber("outbox")) < highest) await tx.dialect.continueNumbers("outbox", highest);
  const rows = [...all, ...(await rowsOf(tx, known, lastWrites(known, doubted)))];
  if (rows.length > 0) await record(tx, { type: "rows.reverted", runId, rows }, now);
  return warningsOf({ writes: all, planted, forgedEvents: doubted.length });
}

interface Place {
  readonly db: Db;
  readonly log: EventLog;
  readonly clock: Clock;
  /** `.ralph`. */
  readonly folder: string;
}

type LogPlace = Omit<LogRows, "lastSnapshots">;

/**
 * Reverts rows as `revertTampering` does where nobody knows an earlier state of the store, as after a kill: the expected rows are
 * those that the event log rebuilds, after it was restored from its copy outside the project if it lacks anything. Where events are
 * missing in both, no row is reverted; `fault` and a warning say so.
 */
export async function revertToLog(place: Place, runId: string | null): Promise<Reverted> {
  const { head } = place.log;
  const restored = head.restoreLog();
  const first = await revertOnce(place, runId);
  if (first.fault === null)
    return { warnings: [...(restored ? [restored] : []), ...first.warnings], fault: null };
  // Damage before its end is seen only now.
  const again = restored === undefined ? head.restoreLog(true) : undefined;
  const last = again === undefined ? first : await revertOnce(place, runId);
  const warnings = last.fault === null ? last.warnings : [notCompared(last.fault)];
  const log = restored ?? again;
  return { warnings: [...(log ? [log] : []), ...warnings], fault: last.fault };
}

interface Reverted {
  readonly warnings: readonly string[];
  /** Why events may be missing in the log, so that nothing was reverted; null: none is. */
  readonly fault: string | null;
}

async function revertOnce({ db, log, clock, folder }: Place, runId: string | null): Promise<Reverted> {
  await log.flush();
  const file = join(folder, "events.jsonl");
  if (!existsSync(file)) return { warnings: [], fault: "it is missing" };
  const rows = { file, folder, seal: db.seal, head: log.head.kept(), lastSnapshots: false };
  return withRebuiltRows(rows, async ({ before, unnamed, fault }) => {
    if (fault !== null) return { warnings: [], fault };
    const since = { before, file, unnamed };
    const warnings = await db.transaction((tx) => revertTampering(tx, since, { runId, now: clock.now() }));
    await log.flush();
    return { warnings, fault };
  });
}

/** The difference between the rows of a store and those of its log. */
interface Difference {
  /** Names of rows, each once. */
  readonly rows: readonly string[];
  /** Why the two could not be compared; null: they were. */
  readonly fault: string | null;
}

/** Compares the rows of tasks and memory with those that the event log and the outbox rebuild. Changes neither. */
export async function compareWithLog(db: Db, place: LogPlace, lastSnapshots = true): Promise<Difference> {
  return withRebuiltRows({ ...place, lastSnapshots }, async ({ before, unnamed, fault }) => {
    if (fault !== null) return { rows: [], fault };
    const after = await before.dialect.lastNumber("outbox");
    const known = await knownTables(before);
    const { trusted } = await eventsAfter(db, { ...place, after });
    const logged = lastWrites(known, trusted);
    return { rows: rowNames(await tamperedRows(db, { before, unnamed }, { known, logged })), fault };
  });
}

interface Agreement {
  /** True: the store has the rows that the event log rebuilds. Undefined: the log does not show what they were. */
  readonly agrees: boolean | undefined;
  /** A warning for each restoration of the log. */
  readonly warnings: readonly string[];
}

/** Compares the rows with the event log, after it was restored from its copy outside the project if it lacks anything. */
export async function agreesWithLog({ db, log, folder }: Omit<Place, "clock">): Promise<Agreement> {
  const file = join(folder, "events.jsonl");
  const warnings: string[] = [];
  for (const always of [false, true]) {
    const restored = log.head.restoreLog(always);
    if (restored !== undefined) warnings.push(restored);
    await log.flush();
    if (!existsSync(file)) continue;
    const place = { file, folder, seal: db.seal, head: log.head.kept() };
    const { rows, fault } = await compareWithLog(db, place, false);
    if (fault === null) return { agrees: rows.length === 0, warnings };
  }
  return { agrees: undefined, warnings };
}

/** Restores the rows in which `compareWithLog` finds a difference. Returns a warning for each. */
export async function restoreFromLog(db: Db, place: LogPlace, now: Date): Promise<readonly string[]> {
  return withRebuiltRows({ ...place, lastSnapshots: true }, ({ before, unnamed }) =>
    db.transaction((tx) => revertTampering(tx, { before, unnamed, file: place.file }, { runId: null, now })),
  );
}

function notCompared(fault: string): string {
  return `rows of the store that an agent may have changed stay as they are: the event log does not show what they were (${fault}); look at them, then accept them with \`ralph doctor --repair\``;
}
