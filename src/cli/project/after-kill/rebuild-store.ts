import { join, relative } from "node:path";
import { RalphError } from "../../../base/errors.ts";
import type { SafeText } from "../../../base/safe-text.ts";
import type { TableWrite } from "../../../events/event.ts";
import { isFlooded } from "../../../events/outbox-store.ts";
import type { Db, Row, StoreOptions } from "../../../store/db.ts";
import { openStore } from "../../../store/open-store.ts";
import { refuseViews } from "../../../store/refuse-views.ts";
import { moveAside } from "../../../trust/move-aside.ts";
import type { ProjectKey } from "../../../trust/project-key.ts";
import { wasKilledAtWork } from "./revert-rows.ts";

interface Place {
  /** The project's folder. */
  readonly root: string;
  readonly key: ProjectKey;
  /** True where another file is in the store's place. */
  readonly isReplaced: boolean;
}

interface OpenedStore {
  readonly db: Db;
  readonly warnings: readonly SafeText[];
}

const lost: readonly string[] = [
  "RALPH_STORE_CORRUPT",
  "RALPH_STORE_FOREIGN",
  "RALPH_STORE_INCOMPLETE",
  "RALPH_STORE_IO",
  "RALPH_STORE_MISSING",
  "RALPH_STORE_NEWER",
  "RALPH_STORE_PATH",
];

/**
 * Opens the project's store. Where ralph was killed while an agent worked, or another file is in its place, a damaged store is rebuilt
 * from the event log first, as the run would have done; the damaged one is kept. Errors: those of `openStore`, also where the log is not complete.
 */
export async function openProjectStore(options: StoreOptions, place: Place): Promise<OpenedStore> {
  if (!place.isReplaced && !(await wasKilledAtWork(place.key)))
    return { db: await openWithoutViews(options), warnings: [] };
  let db: Db | undefined;
  try {
    db = await openStore({ ...options, create: false });
    await requireTables(db);
    return { db, warnings: [] };
  } catch (error) {
    if (!(error instanceof RalphError) || !lost.includes(error.code)) throw error;
    const commits = db ? await commitsIn(db) : [];
    await db?.close();
    const rebuilt = await rebuild(options, place, commits);
    if (!rebuilt) throw error;
    return { db: await openStore(options), ...rebuilt };
  }
}

async function openWithoutViews(options: StoreOptions): Promise<Db> {
  const db = await openStore(options);
  try {
    await refuseViews(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function requireTables(db: Db): Promise<void> {
  const { lacks } = await import("../../../store/schema-objects.ts");
  const objects = await db.dialect.schemaObjects();
  const own = objects.filter(({ kind, derived }) => kind === "table" && !derived);
  const there = new Set((await db.dialect.tables()).map(({ name }) => name));
  const [first] = [
    ...(await lacks(db, own)),
    ...own.filter(({ name }) => !there.has(name)).map(({ name }) => `the table ${name}`),
  ];
  if (first !== undefined) throw incomplete(db, `${first} is missing`);
  const [other] = await db.dialect.otherThan(objects);
  if (other !== undefined) throw incomplete(db, `ralph did not make ${other} as it is`);
  const table = (await isFlooded(db, db.seal)) ? "outbox" : await db.dialect.findUnreadable();
  if (table !== undefined) throw incomplete(db, `its table ${table} has rows that ralph cannot read`);
}

function incomplete(db: Db, reason: string): RalphError {
  return new RalphError("RALPH_STORE_INCOMPLETE", `the store ${db.location} is incomplete: ${reason}`, {
    hint: "run `ralph doctor --repair`, which rebuilds the store and keeps a copy of this file",
  });
}

/** Returns the rows that say which commits are of which task: the log does not have them. */
async function commitsIn(db: Db): Promise<readonly TableWrite[]> {
  const table = "pending_commits";
  const rows = await db.all<Row>(`SELECT * FROM ${table}`).catch(() => []);
  return rows.map((row) => ({ table, op: "put", row }));
}

interface Rebuilt {
  readonly warnings: readonly SafeText[];
}

/** Returns null, and leaves the store as it is, if the log does not show all of its rows. */
async function rebuild(
  { path, history }: StoreOptions,
  { root, key }: Omit<Place, "isReplaced">,
  commits: readonly TableWrite[],
): Promise<Rebuilt | null> {
  if (!history) return null;
  const { restoreKilledLog, rowsAtWork } = await import("../../../events/log-guard.ts");
  const { replaceStore } = await import("../../../store/store-files.ts");
  const { storedText } = await import("../../../trust/stored-text.ts");
  const rows = [...rowsAtWork(history, key), ...commits];
  const warnings: string[] = [];
  for (const always of [false, true]) {
    const restored = restoreKilledLog(history, key, always);
    if (restored !== undefined) warnings.push(restored);
    else if (always) return null;
    const replaced = await replaceStore(path, async (built) => {
      await fill(built, { history, key, rows });
      return { keptIn: moveAside(join(root, ".ralph"), filesOf(path)) };
    }).catch(unlessIncomplete);
    if (replaced === null) continue;
    warnings.push(`rebuilt ${relative(root, path)} from the event log: ${whatBecame(root, replaced.keptIn)}`);
    return { warnings: warnings.map((warning) => storedText(warning)) };
  }
  return null;
}

function whatBecame(root: string, keptIn: string | null): string {
  if (keptIn === null) return "the killed run's agent removed it";
  return `it was damaged or replaced; what was there is in ${relative(root, keptIn)}`;
}

class IncompleteLog extends Error {}

function unlessIncomplete(error: unknown): null {
  const isUnreadable = error instanceof RalphError && error.code === "RALPH_STORE_MISSING";
  if (isUnreadable || error instanceof IncompleteLog) return null;
  throw error;
}

interface Source {
  readonly history: string;
  readonly key: ProjectKey;
  /** Rows that the log does not have. */
  readonly rows: readonly TableWrite[];
}

async function fill(built: Db, { history, key, rows }: Source): Promise<void> {
  const { rebuildFromLog } = await import("../../../events/rebuild.ts");
  const { writeProcessRows } = await import("../../../events/process-rows.ts");
  const { repairIndex } = await import("../../../memory/repair-index.ts");
  const options = { seal: key, head: key.readHead(), lastSnapshots: false };
  const { fault } = await rebuildFromLog(built, history, options);
  if (fault !== null) throw new IncompleteLog(fault);
  await built.transaction((tx) => writeProcessRows(tx, rows));
  await repairIndex(built);
}

/** The store, and whatever has the names of the files beside it. */
const filesOf = (path: string): readonly string[] =>
  ["", "-wal", "-shm", "-journal"].map((side) => `${path}${side}`);
