import { constants } from "node:fs";
import { access, lstat } from "node:fs/promises";
import { dirname } from "node:path";
import { ownerIsAlive } from "../../agents/supervision.ts";
import { RalphError, systemCode } from "../../base/errors.ts";
import { clip, count, oneLine } from "../../base/text.ts";
import { openRuns, type RunRow } from "../../loop/run-store.ts";
import { examineIndex } from "../../memory/repair-index.ts";
import type { Db, Reader } from "../../store/db.ts";
import { openStore } from "../../store/open-store.ts";
import { lacks } from "../../store/schema-objects.ts";
import { countTasks } from "../../tasks/task-store.ts";
import { type Check, errorCheck, failed, passed, warned } from "./check.ts";
import { describeBytes } from "./machine-checks.ts";

/** What the store is, and what is to be said of it. Whoever gets a `db` closes it. */
export interface StoreState {
  readonly check: Check;
  readonly db: Db | null;
  /** Damaged, or gone although its history is there: `--repair` can build it anew. */
  readonly needsRebuild: boolean;
  /** The run that is at work on it, as far as the store can still tell. */
  readonly activeRun: RunRow | null;
}

interface Place {
  readonly path: string;
  /** The event log. */
  readonly history: string;
}

const lost: readonly string[] = ["RALPH_STORE_CORRUPT", "RALPH_STORE_INCOMPLETE", "RALPH_STORE_MISSING"];

/** Opens the store and reads all of it. */
export async function checkStore({ path, history }: Place): Promise<StoreState> {
  const hasHistory = ((await sizeOf(history)) ?? 0) > 0;
  if ((await sizeOf(path)) === undefined && !hasHistory) {
    const check = warned({ check: "store", detail: `there is none yet (${path})` }, "ralph init");
    return { check, db: null, needsRebuild: false, activeRun: null };
  }
  let db: Db | undefined;
  let activeRun: RunRow | null = null;
  try {
    db = await openStore({ path, history, create: false });
    activeRun = await findActiveRun(db);
    await requireIntegrity(db);
    await requireAllTables(db);
    return { check: await describe(db, path), db, needsRebuild: false, activeRun };
  } catch (error) {
    await db?.close();
    if (!(error instanceof RalphError)) throw error;
    const needsRebuild = lost.includes(error.code);
    const check = errorCheck("store", error);
    if (!needsRebuild || hasHistory) return { check, db: null, needsRebuild, activeRun };
    const hint = `its log ${history} is gone too, so nothing can be rebuilt: restore a file of .ralph/backups, or move ${path} away and begin anew`;
    return { check: { ...check, hint }, db: null, needsRebuild: false, activeRun };
  }
}

async function findActiveRun(db: Reader): Promise<RunRow | null> {
  return (await openRuns(db)).find(({ owner }) => ownerIsAlive(owner)) ?? null;
}

async function requireIntegrity(db: Db): Promise<void> {
  const problem = await db.dialect.findDamage();
  if (problem === undefined) return;
  throw new RalphError(
    "RALPH_STORE_CORRUPT",
    `The store ${db.location} is damaged (${clip(oneLine(problem), 200)}).`,
    { hint: "run `ralph doctor --repair`: it works on a copy and keeps this file" },
  );
}

/** The tables of the memory's search index are another matter: they are made of the others. */
async function requireAllTables(db: Db): Promise<void> {
  const own = (await db.dialect.schemaObjects()).filter(({ derived }) => !derived);
  const [first] = await lacks(db, own);
  if (first === undefined) return;
  throw new RalphError("RALPH_STORE_INCOMPLETE", `The store ${db.location} lacks ${first}.`, {
    hint: "run `ralph doctor --repair`: it rebuilds the store from its log and keeps this file",
  });
}

/** Whether every learning that may stand in a prompt can be found. */
export async function checkIndex(db: Reader): Promise<Check> {
  const check = "memory index";
  const { learnings, fault } = await examineIndex(db);
  if (fault === undefined) {
    const found =
      learnings === 0 ? "no learnings yet" : `${count(learnings, "learning")}, to be found by their words`;
    return passed({ check, detail: found });
  }
  const detail = `not whole: ${fault}; the learnings themselves are all there`;
  return failed({ check, detail }, "ralph doctor --repair builds it anew from the learnings");
}

async function describe(db: Db, path: string): Promise<Check> {
  const [closed] = await missingFolders([path, dirname(path)]);
  if (closed !== undefined) {
    const hint = "make the file and its folder writable for you";
    return failed({ check: "store", detail: `${closed} is not yours to write` }, hint);
  }
  const version = await db.dialect.schemaVersion();
  const tasks = Object.values(await countTasks(db)).reduce((sum, n) => sum + n, 0);
  const size = describeBytes((await sizeOf(path)) ?? 0);
  const detail = `${path}: sound, schema ${version}, ${count(tasks, "task")}, ${size}`;
  return passed({ check: "store", detail });
}

async function missingFolders(paths: readonly string[]): Promise<readonly string[]> {
  const looked = await Promise.all(
    paths.map((path) =>
      access(path, constants.W_OK).then(
        () => [],
        () => [path],
      ),
    ),
  );
  return looked.flat();
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await lstat(path)).size;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}

/** A run that is at work, or one that was killed and waits for the next to recover it. */
export async function checkRun(db: Reader): Promise<Check> {
  const active = await findActiveRun(db);
  if (active) return passed({ check: "run", detail: describeRun(active) });
  const [died] = await openRuns(db);
  if (!died) return passed({ check: "run", detail: "none at work" });
  const detail = `${died.id} was killed; what it did is kept`;
  return warned({ check: "run", detail }, "ralph run recovers it and goes on");
}

export function describeRun({ id, startedAt, owner }: RunRow): string {
  return `${id} is at work since ${startedAt} (process ${owner.pid} on ${owner.host})`;
}
