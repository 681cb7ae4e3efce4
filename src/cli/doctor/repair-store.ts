import { constants, existsSync } from "node:fs";
import { chmod, copyFile, open, readdir, readlink, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { messageOf, RalphError, systemCode } from "../../base/errors.ts";
import { rebuildFromLog } from "../../events/rebuild.ts";
import { repairIndex } from "../../memory/repair-index.ts";
import type { Seal } from "../../store/db.ts";
import { replaceStore, storeFiles } from "../../store/store-files.ts";
import { makePrivateFolder } from "../../trust/safe-file.ts";

interface Place {
  readonly root: string;
  readonly path: string;
  /** The event log. */
  readonly history: string;
  /** The project's key. */
  readonly key: Seal;
}

export interface Repaired {
  readonly rows: number;
  readonly skippedLines: number;
  /** The folder with the copy of the damaged store; null when there was no store. */
  readonly keptIn: string | null;
}

/**
 * Rebuilds the store at `path` from its event log, after copying the damaged one. The damaged store stays in place until
 * the last step, a rename. This process must not have it open.
 *
 * @throws RalphError `RALPH_RUN_ACTIVE` when another process has it open, `RALPH_STORE_*`, `RALPH_PATH_*`.
 */
export async function repairStore({ root, path, history, key }: Place, now: Date): Promise<Repaired> {
  await refuseWhileOpen(path);
  const keptIn = await keepDamagedCopy({ root, path }, now);
  const { rows, skippedLines } = await replaceStore(path, async (db) => {
    const result = await rebuildFromLog(db, history, { seal: key });
    await repairIndex(db);
    return result;
  });
  return { rows, skippedLines, keptIn };
}

/** Returns the folder for damaged files that a repair at `now` replaces. */
export function brokenFolder(root: string, now: Date): string {
  const time = now.toISOString().replace(/[-:Z]/g, "").replace(/[T.]/g, "-");
  return join(root, ".ralph", "backups", `broken-${time}`);
}

/** Copies the store and the files beside it to `.ralph/backups/broken-<time>/`; null when there is no store. */
export async function keepDamagedCopy(
  { root, path }: Pick<Place, "root" | "path">,
  now: Date,
): Promise<string | null> {
  const files = await storeFiles(path);
  if (files.length === 0) return null;
  const folder = brokenFolder(root, now);
  await makePrivateFolder(folder, { root });
  // The store last: when another process closes it meanwhile, the log beside it is moved into it and removed.
  for (const file of files.filter((one) => one !== path)) {
    await copyToDisk(file, join(folder, basename(file))).catch((error: unknown) => {
      if (existsSync(file)) throw error;
    });
  }
  if (files.includes(path)) await copyToDisk(path, join(folder, basename(path)));
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
      hint: "free some space or fix the permissions, then retry; nothing is repaired without a copy",
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
    hint: `wait for it to end, or run \`kill -INT ${pid}\`, then retry`,
  });
}

/** Returns other processes that have the file open (Linux only). A damaged store cannot be asked for its active run. */
async function holders(path: string): Promise<readonly number[]> {
  if (process.platform !== "linux") return [];
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const found: number[] = [];
  for (const pid of pids) {
    const folder = `/proc/${pid}/fd`;
    // The process has ended, or belongs to another user.
    const names = await readdir(folder).catch(() => []);
    const links = await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => "")));
    if (links.includes(path)) found.push(Number(pid));
  }
  return found;
}
