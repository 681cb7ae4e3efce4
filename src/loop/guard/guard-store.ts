import { copyFileSync, mkdtempSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { TableWrite } from "../../events/event.ts";
import { guardLog, type LogGuard } from "../../events/log-guard.ts";
import { writeProcessRows } from "../../events/process-rows.ts";
import { rebuildFromLog } from "../../events/rebuild.ts";
import { repairLog } from "../../events/repair-log.ts";
import { agreesWithLog } from "../../events/revert-tampering.ts";
import { repairIndex } from "../../memory/repair-index.ts";
import type { FileState } from "../../store/db.ts";
import { replaceStore, storeFiles } from "../../store/store-files.ts";
import { makePrivateFolder } from "../../trust/safe-file.ts";
import type { Loop } from "../loop.ts";
import { asideFolder, moveAny, moveFolder } from "./aside-folder.ts";
import { readRowsForRebuild } from "./rows-at-work.ts";

type Guarding = Pick<Loop, "clock" | "db" | "folder" | "log" | "root" | "runId" | "workspace">;

/** The files of the store and the event log as they were before an agent ran. */
export interface StoreGuard {
  /**
   * Restores both: what was removed or replaced from the file that is still open, the rest one from the other. What was there is
   * kept in `.ralph/put-aside`. Cheap while nobody touched them.
   */
  restore(): Promise<void>;
  /** Rebuilds the store from the event log: what an agent wrote into it cannot be read. */
  rebuild(): Promise<void>;
  /**
   * Returns true when since the last call the store was rebuilt, or was put back and found to agree with the log: views of it before
   * that may show what the agent left.
   */
  takeRenewed(): boolean;
  /** Returns a warning for each restoration since the last call. */
  takeWarnings(): readonly string[];
  release(): void;
}

interface Before {
  readonly fileState: () => Promise<FileState>;
  readonly log: LogGuard | null;
  /** The rows of this run and its iteration, which the log does not have. */
  readonly processRows: readonly TableWrite[];
}

export async function guardStore(loop: Guarding): Promise<StoreGuard> {
  let before = await readBefore(loop);
  const warnings: string[] = [];
  let isRenewed = false;
  return {
    restore: async () => {
      const done = await restoreBoth(loop, before);
      isRenewed ||= done.isRenewed;
      for (const one of done.warnings) warnings.push(one);
      if (done.isCompared || done.warnings.length > 0) {
        before.log?.release();
        before = await readBefore(loop);
      }
    },
    rebuild: async () => {
      warnings.push(
        await rebuildDamaged(loop, { keepIn: asideFolder(loop).keepIn, processRows: before.processRows }),
      );
      isRenewed = true;
      before.log?.release();
      before = await readBefore(loop);
    },
    takeRenewed: () => {
      const was = isRenewed;
      isRenewed = false;
      return was;
    },
    takeWarnings: () => warnings.splice(0),
    release: () => before.log?.release(),
  };
}

const logFile = ({ folder }: Guarding): string => join(folder, "events.jsonl");

async function readBefore(loop: Guarding): Promise<Before> {
  const fileState = await loop.db.guardFile();
  const processRows = await readRowsForRebuild(loop.db, loop.runId);
  return { fileState, processRows, log: guardLog(logFile(loop), loop.db.seal) };
}

interface Restored {
  readonly warnings: readonly string[];
  readonly isRenewed: boolean;
  /** True: the store's file was written, and is compared with the log. */
  readonly isCompared: boolean;
}

async function restoreBoth(loop: Guarding, { fileState, log, processRows }: Before): Promise<Restored> {
  const { db, folder, root } = loop;
  const { keepIn, isRestored } = asideFolder(loop);
  const warnings: string[] = [];
  const put = (path: string): string => `put back ${relative(root, path)}: an agent may not change it`;
  const kept = `what it left is in ${relative(root, keepIn)}`;
  // Else the commands of other processes would seal with another key.
  if (loop.log.head.restoreKey()) warnings.push("put back the project's key: an agent may not change it");
  if (isRestored) warnings.push(put(folder));
  for (const end of ["", "-wal", "-shm"]) moveFolder(`${db.location}${end}`, keepIn);
  // Ralph's store has none: SQLite would take it for the rest of an interrupted write.
  const journal = `${db.location}-journal`;
  if (moveAny(journal, keepIn))
    warnings.push(`moved ${relative(root, journal)} aside: ralph did not create it; ${kept}`);
  const rescued = await rescue(loop);
  if (rescued === "written") warnings.push(put(db.location));
  // Before the store: it may have to be rebuilt from the log.
  const unflooded = log?.isFlooded() ? loop.log.head.restoreLog(true) : undefined;
  if (unflooded) warnings.push(unflooded);
  else if (await log?.restore({ root, keepIn })) warnings.push(put(logFile(loop)));
  const store = await restoreStore(loop, { rescued, fileState, processRows, keepIn });
  for (const one of store.warnings) warnings.push(one);
  if (log?.isDamaged()) {
    const now = loop.clock.now();
    const { head } = await repairLog(
      db,
      { file: logFile(loop), root, keepIn: join(keepIn, `${now.getTime()}`) },
      now,
    );
    if (head) loop.log.head.accept(head);
    warnings.push(`repaired ${relative(root, logFile(loop))} from the store: the agent damaged it; ${kept}`);
  }
  return { ...store, warnings };
}

interface Rescued extends Pick<Before, "fileState" | "processRows"> {
  /** Before the log was put back. */
  readonly rescued: FileState;
  readonly keepIn: string;
}

async function restoreStore(loop: Guarding, before: Rescued): Promise<Restored> {
  const { rescued, fileState, processRows, keepIn } = before;
  const state = rescued === "intact" ? await fileState() : rescued;
  const compared = state === "written" ? await compare(loop) : undefined;
  const warnings = [...(compared?.warnings ?? [])];
  const isRebuilt = state === "damaged" || compared?.agrees === false;
  if (isRebuilt) warnings.push(await rebuildDamaged(loop, { keepIn, processRows }));
  const isRestored = rescued === "written" && compared?.agrees === true;
  // The log does not have them, and the file that was open may have been overwritten too.
  if (isRestored) await loop.db.transaction((tx) => writeProcessRows(tx, processRows));
  return { warnings, isRenewed: isRebuilt || isRestored, isCompared: compared !== undefined };
}

/** Puts the store's file back from what is open. What was removed can have been overwritten before. */
async function rescue({ db }: Guarding): Promise<FileState> {
  try {
    return (await db.rescueFile()) ? "written" : "intact";
  } catch (error) {
    if (error instanceof RalphError && error.code === "RALPH_STORE_CORRUPT") return "damaged";
    throw error;
  }
}

/** Compares the rows in the store's file with those that ralph recorded. */
async function compare({ db, folder, log }: Guarding): ReturnType<typeof agreesWithLog> {
  // A connection answers from the pages that it has read.
  await db.whileClosed(async () => undefined);
  try {
    return await agreesWithLog({ db, folder, log });
  } catch (error) {
    if (error instanceof RalphError && error.code === "RALPH_STORE_CORRUPT")
      return { agrees: false, warnings: [] };
    throw error;
  }
}

/** Returns a warning. */
async function rebuildDamaged(
  loop: Guarding,
  { keepIn, processRows }: { readonly keepIn: string; readonly processRows: readonly TableWrite[] },
): Promise<string> {
  const { db, root } = loop;
  await makePrivateFolder(keepIn, { root });
  await db.whileClosed(async () => {
    const files = await storeFiles(db.location);
    // A new one, so that no link of an agent is in it.
    const copies = mkdtempSync(join(keepIn, "store-"));
    for (const file of files) copyFileSync(file, join(copies, basename(file)));
    await replaceStore(db.location, async (built) => {
      await rebuildFromLog(built, logFile(loop), { seal: db.seal });
      await built.transaction((tx) => writeProcessRows(tx, processRows));
      await repairIndex(built);
    });
  });
  return `rebuilt ${relative(root, db.location)} from the event log: the agent damaged it; what it left is in ${relative(root, keepIn)}`;
}
