import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolders } from "../../base/careful-files.ts";
import type { Seal } from "../../store/db.ts";
import { openStore } from "../../store/open-store.ts";
import type { LogHead } from "../../trust/project-key.ts";
import { rebuildFromLog } from "../rebuild.ts";
import type { RowBaseline } from "./tampered-rows.ts";

/** Where a log is, and where the rows that it rebuilds may be kept for a while. */
export interface LogRows {
  /** `.ralph/events.jsonl`. */
  readonly file: string;
  /** `.ralph`. */
  readonly folder: string;
  /** The project's key. */
  readonly seal: Seal | null;
  /** The end of the log as it was kept outside the project; null: unknown. */
  readonly head: LogHead | null;
  /** See `RebuildOptions`. */
  readonly lastSnapshots: boolean;
}

/** The rows that a log rebuilds, in a store of their own. */
export interface RebuiltRows extends Required<RowBaseline> {
  /** Why events may be missing in the log, so that rows may be older than in the store; null: none is. */
  readonly fault: string | null;
}

/** Rebuilds the rows of a log for `work`, in a temporary folder. Errors: those of `rebuildFromLog` and of the folder. */
export async function withRebuiltRows<T>(
  { file, folder, ...options }: LogRows,
  work: (rows: RebuiltRows) => Promise<T>,
): Promise<T> {
  const temporary = await createFolder(folder);
  try {
    const before = await openStore({ path: join(temporary, "rebuilt.db"), history: null });
    try {
      const { fault, unnamed } = await rebuildFromLog(before, file, options);
      return await work({ before, unnamed, fault });
    } finally {
      await before.close();
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** In the folder that recovery empties. */
async function createFolder(folder: string): Promise<string> {
  const parent = join(folder, "tmp");
  makeFolders(parent);
  return mkdtemp(join(parent, "rows-"));
}
