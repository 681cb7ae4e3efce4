import { constants } from "node:fs";
import { chmod, copyFile, open, readdir, readlink, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { messageOf, RalphError, systemCode } from "../../base/errors.ts";
import { rebuildFromLog } from "../../events/rebuild.ts";
import { repairIndex } from "../../memory/repair-index.ts";
import { replaceStore, storeFiles } from "../../store/store-files.ts";
import { makePrivateFolder } from "../../trust/safe-file.ts";

interface Place {
  readonly root: string;
  readonly path: string;
  /** The event log. */
  readonly history: string;
}

export interface Repaired {
  readonly rows: number;
  readonly skippedLines: number;
  /** Where the broken store was copied to; null when there was none. */
  readonly keptIn: string | null;
}

/**
 * Builds the store at `path` anew from its event log, after a copy of what is there. Until the last step, a rename,
 * the broken store stays where it is. Nothing of this process may have it open.
 *
 * @throws RalphError `RALPH_RUN_ACTIVE` when another process has it open, `RALPH_STORE_*`, `RALPH_PATH_*`.
 */
export async function repairStore({ root, path, history }: Place, now: Date): Promise<Repaired> {
  await refuseWhileOpen(path);
  const keptIn = await keepDamagedCopy({ root, path }, now);
  const rebuilt = await replaceStore(path, async (db) => {
    const result = await rebuildFromLog(db, history);
    await repairIndex(db);
    return result;
  });
  return { ...rebuilt, keptIn };
}

/** Copies the store and what lies beside it to `.ralph/backups/broken-<time>/`. */
async function keepDamagedCopy(
  { root, path }: Pick<Place, "root" | "path">,
  now: Date,
): Promise<string | null> {
  const there = await storeFiles(path);
  if (there.length === 0) return null;
  const time = now.toISOString().replace(/[-:Z]/g, "").replace(/[T.]/g, "-");
  const folder = join(root, ".ralph", "backups", `broken-${time}`);
  await makePrivateFolder(folder, { root });
  for (const file of there) await copyToDisk(file, join(folder, basename(file)));
  await syncFolder(folder);
  return folder;
}

async function copyToDisk(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_EXCL);
    await chmod(to, 0o600);
    const file = await open(to, "r+");
    await file.sync().finally(() => file.close());
  } catch (cause) {
    if (systemCode(cause) !== "EEXIST") await rm(to, { force: true });
    throw new RalphError("RALPH_STORE_IO", `cannot copy ${from} to ${to}: ${messageOf(cause)}`, {
      hint: "without a copy nothing is repaired; make room and look at the permissions, then try again",
      cause,
    });
  }
}

/** Windows cannot open a folder, and some network file systems cannot sync one. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r").catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

async function refuseWhileOpen(path: string): Promise<void> {
  const [pid] = await holders(path);
  if (pid === undefined) return;
  throw new RalphError("RALPH_RUN_ACTIVE", `process ${pid} has the store ${path} open`, {
    hint: `wait for it, or end it with: kill -INT ${pid}; then repair`,
  });
}

/** Other processes that have the file open. A broken store cannot tell which run is at work, Linux can. */
async function holders(path: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const found: number[] = [];
  for (const pid of pids) {
    const folder = `/proc/${pid}/fd`;
    // Gone, or another user's.
    const names = await readdir(folder).catch(() => []);
    const links = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => "")));
    if (links.includes(path)) found.push(Number(pid));
  }
  return found;
}
