import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { fixable, RalphError, systemCode } from "../../../base/errors.ts";
import { clip, count, oneLine } from "../../../base/text.ts";
import { liveRuns } from "../../../loop/rows/live-runs.ts";
import { openRuns, type RunRow } from "../../../loop/rows/run-store.ts";
import { examineIndex } from "../../../memory/repair-index.ts";
import { backupsIn } from "../../../store/backups.ts";
import { openStore } from "../../../store/open-store.ts";
import type { Db, Reader } from "../../../store/port/db.ts";
import { isPostgresUrl } from "../../../store/port/is-postgres-url.ts";
import { lacks } from "../../../store/port/schema-objects.ts";
import { countTasks } from "../../../tasks/graph/task-store.ts";
import { type Check, errorCheck, failed, passed, warned } from "./check.ts";
import { describeBytes } from "./machine-checks.ts";

/** The result of opening and checking the store. The caller closes `db`. */
export interface StoreState {
  readonly check: Check;
  readonly db: Db | null;
  /** True when the store is lost or damaged and has a backup, which `--repair` restores. */
  readonly needsRestore: boolean;
  /** The active run, if the store can still be read. */
  readonly activeRun: RunRow | null;
}

/** The store, and the folder of its backups. */
export interface StorePlace {
  readonly path: string;
  readonly backups: string;
}

const lost: readonly string[] = ["RALPH_STORE_CORRUPT", "RALPH_STORE_INCOMPLETE", "RALPH_STORE_MISSING"];

/** Opens the store and checks all of its content. */
export async function checkStore({ path, backups }: StorePlace): Promise<StoreState> {
  const isFile = !isPostgresUrl(path);
  const hasBackup = isFile && backupsIn(backups).length > 0;
  if (isFile && (await sizeOf(path)) === undefined && !hasBackup) {
    const check = warned({ check: "store", detail: `no store yet (${path})` }, "run `ralph init`");
    return { check, db: null, needsRestore: false, activeRun: null };
  }
  let db: Db | undefined;
  let activeRun: RunRow | null = null;
  try {
    db = await openStore({ path, backups, create: false });
    activeRun = (await liveRuns(db))[0] ?? null;
    await requireIntegrity(db);
    await requireAllTables(db);
    return { check: await describe(db, path), db, needsRestore: false, activeRun };
  } catch (error) {
    await db?.close();
    const { code, message } = fixable(error);
    if (!isFile && code === "RALPH_STORE_MISSING") {
      const check = passed({
        check: "store",
        detail: `the server answers, and ${message} yet: the first task makes it`,
      });
      return { check, db: null, needsRestore: false, activeRun };
    }
    const isLost = isFile && lost.includes(code);
    const check = errorCheck("store", error);
    if (!isLost || hasBackup) return { check, db: null, needsRestore: isLost, activeRun };
    const hint = `there is no backup of it in ${backups}: move ${path} away and start over`;
    return { check: { ...check, hint }, db: null, needsRestore: false, activeRun };
  }
}

async function requireIntegrity(db: Db): Promise<void> {
  const problem = await db.file?.findDamage();
  if (problem === undefined) return;
  throw new RalphError(
    "RALPH_STORE_CORRUPT",
    `the store ${db.location} is damaged: ${clip(oneLine(problem), 200)}`,
    { hint: "run `ralph doctor --repair`, which keeps a copy of this file" },
  );
}

async function requireAllTables(db: Db): Promise<void> {
  const [first] = await lacks(db, await db.dialect.schemaTables());
  if (first === undefined) return;
  throw new RalphError(
    "RALPH_STORE_INCOMPLETE",
    `the store ${db.location} is incomplete: ${first} is missing`,
    { hint: "run `ralph doctor --repair`, which restores a backup and keeps a copy of this file" },
  );
}

/** Checks that the index contains every learning that may be shown in prompts. */
export async function checkIndex(db: Reader): Promise<Check> {
  const check = "memory index";
  const { documents, isComplete } = await examineIndex(db);
  if (isComplete) {
    return passed({ check, detail: documents === "" ? "no learnings yet" : `${documents} indexed` });
  }
  const detail = "incomplete; the learnings themselves are intact";
  return failed({ check, detail }, "run `ralph doctor --repair` to rebuild it from the learnings");
}

async function describe(db: Db, path: string): Promise<Check> {
  if (!db.file) return describeServer(db);
  for (const one of [path, dirname(path)]) {
    const isClosed = await access(one, constants.W_OK).then(
      () => false,
      () => true,
    );
    const hint = "make the file and its folder writable";
    if (isClosed) return failed({ check: "store", detail: `${one} is not writable` }, hint);
  }
  const version = await db.dialect.schemaVersion();
  const tasks = Object.values(await countTasks(db)).reduce((sum, n) => sum + n, 0);
  const size = describeBytes((await sizeOf(path)) ?? 0);
  const detail = `${path}: intact, schema ${version}, ${count(tasks, "task")}, ${size}`;
  return passed({ check: "store", detail });
}

/** How far the clocks of server and machine may differ, in seconds. */
const maxClockSkew = 5;

/** Tries a write, and compares the clocks: the times of claims and events are this machine's. */
async function describeServer(db: Db): Promise<Check> {
  await db.transaction(async () => undefined);
  const row = await db.get<{ now: number }>("SELECT extract(epoch FROM clock_timestamp()) AS now");
  const skew = Math.round(Math.abs(Date.now() / 1000 - Number(row?.now ?? 0)));
  const tasks = Object.values(await countTasks(db)).reduce((sum, n) => sum + n, 0);
  const detail = `${db.location}: writable, schema ${await db.dialect.schemaVersion()}, ${count(tasks, "task")}`;
  if (skew <= maxClockSkew) return passed({ check: "store", detail });
  const apart = `${detail}; the clocks of server and machine differ by ${count(skew, "second")}`;
  return warned({ check: "store", detail: apart }, "set the clock of this machine by NTP");
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** Reports the active run, or a killed run that the next run will recover. */
export async function checkRun(db: Reader): Promise<Check> {
  const [active] = await liveRuns(db);
  if (active) return passed({ check: "run", detail: describeRun(active) });
  const [died] = await openRuns(db);
  if (!died) return passed({ check: "run", detail: "no active run" });
  const detail = `${died.id} was killed; its work is kept`;
  return warned({ check: "run", detail }, "run `ralph run` to recover it and continue");
}

export function describeRun({ id, startedAt, owner }: RunRow): string {
  return `${id} has been active since ${startedAt} (process ${owner.pid} on ${owner.host})`;
}
