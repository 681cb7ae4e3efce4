import { readlinkSync } from "node:fs";
import { listProcesses, readProc } from "./process-table.ts";

/**
 * Returns the pids of running programs named `name` or `name-…` whose working folder is `folder` or below it.
 * Undefined if the system cannot list them.
 */
export async function programsInFolder(name: string, folder: string): Promise<readonly number[] | undefined> {
  if (process.platform !== "linux") return undefined;
  const entries = await listProcesses();
  return entries.map(({ pid }) => pid).filter((pid) => isNamed(pid, name) && worksIn(pid, folder));
}

function isNamed(pid: number, name: string): boolean {
  const own = readProc(pid, "comm")?.toString().trim() ?? "";
  return own === name || own.startsWith(`${name}-`);
}

function worksIn(pid: number, folder: string): boolean {
  try {
    const at = readlinkSync(`/proc/${pid}/cwd`);
    return at === folder || at.startsWith(`${folder}/`);
  } catch {
    return false;
  }
}
