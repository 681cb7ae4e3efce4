import type { Stats } from "node:fs";
import { lstat, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../base/errors.ts";

const maxAgeMs = 30 * 86_400_000;
const maxTotalBytes = 500 * 1024 * 1024;

interface OldLog {
  readonly path: string;
  readonly bytes: number;
  readonly at: number;
}

/**
 * Removes raw logs older than 30 days, and the oldest logs beyond a total of 500 MiB (UX-6). `folder` has a folder per
 * run; that of `currentRun` is skipped, and links are not followed. Returns the number of removed logs.
 */
export async function pruneLogs(folder: string, currentRun: string, now: Date): Promise<number> {
  const logs = await listLogs(folder, currentRun);
  const newestFirst = logs.toSorted((a, b) => b.at - a.at);
  let bytes = 0;
  let removed = 0;
  for (const log of newestFirst) {
    bytes += log.bytes;
    if (bytes <= maxTotalBytes && now.getTime() - log.at <= maxAgeMs) continue;
    await rm(log.path, { force: true });
    removed += 1;
  }
  if (removed > 0) await removeEmpty(folder, currentRun);
  return removed;
}

async function listLogs(folder: string, currentRun: string): Promise<readonly OldLog[]> {
  const logs: OldLog[] = [];
  for (const run of await foldersIn(folder)) {
    if (run === currentRun) continue;
    for (const name of await readdir(join(folder, run))) {
      const path = join(folder, run, name);
      const stats = await statOf(path);
      if (stats?.isFile()) logs.push({ path, bytes: stats.size, at: stats.mtimeMs });
    }
  }
  return logs;
}

async function removeEmpty(folder: string, currentRun: string): Promise<void> {
  for (const run of await foldersIn(folder)) {
    if (run === currentRun) continue;
    const path = join(folder, run);
    if ((await readdir(path)).length === 0) await rm(path, { recursive: true, force: true });
  }
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  if (!(await statOf(folder))?.isDirectory()) return [];
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
