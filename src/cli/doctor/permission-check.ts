import type { Stats } from "node:fs";
import { chmod, lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { systemCode } from "../../base/errors.ts";
import { type Check, failed, passed, warned } from "./check.ts";

interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

/** Of the folder's own entries, what is left alone: three are committed, so git decides their mode; agents fill `tmp`. */
const others: ReadonlySet<string> = new Set([".gitignore", "config.yaml", "prompt.md", "tmp"]);
const maxEntries = 50_000;

/** Whether `.ralph` is the owner's alone (folders 0700, files 0600) and holds no symbolic link (TRUST-6). */
export async function checkPermissions(root: string): Promise<Check> {
  const check = "permissions";
  if (process.platform === "win32") return passed({ check, detail: "left to the file system's own rules" });
  const entries = await listPrivate(root);
  if (entries.length === 0) return passed({ check, detail: "there is no .ralph yet" });
  const link = entries.find(({ stats }) => stats.isSymbolicLink());
  if (link) {
    const detail = `${relative(root, link.path)} is a symbolic link, and ralph follows none when it writes`;
    return failed({ check, detail }, "put a real file or folder in its place");
  }
  const open = entries.filter(isOpen);
  const [first] = open;
  if (!first) return passed({ check, detail: ".ralph is yours alone" });
  const more = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  const detail = `others may read ${relative(root, first.path)}${more}`;
  return warned({ check, detail }, "ralph doctor --repair makes them yours alone");
}

/** Takes others' rights from what `checkPermissions` found; returns how many entries that were. */
export async function repairPermissions(root: string): Promise<number> {
  if (process.platform === "win32") return 0;
  const open = (await listPrivate(root)).filter(isOpen);
  for (const { path, stats } of open) await unlessGone(chmod(path, stats.mode & 0o700));
  return open.length;
}

function isOpen({ stats }: Entry): boolean {
  return !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
}

/** `.ralph` and what lies in it, without what is left alone; no link is followed. */
async function listPrivate(root: string): Promise<readonly Entry[]> {
  const top = join(root, ".ralph");
  const entries: Entry[] = [];
  const waiting = [top];
  for (let path = waiting.pop(); path !== undefined && entries.length < maxEntries; path = waiting.pop()) {
    const stats = await unlessGone(lstat(path));
    if (!stats) continue;
    entries.push({ path, stats });
    if (!stats.isDirectory()) continue;
    for (const name of (await unlessGone(readdir(path))) ?? []) {
      if (path !== top || !others.has(name)) waiting.push(join(path, name));
    }
  }
  return entries;
}

/**
 * Undefined when what it is about is gone: a run at work makes and removes files, and the store's driver takes away
 * what lies beside a closed store a moment later.
 */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
