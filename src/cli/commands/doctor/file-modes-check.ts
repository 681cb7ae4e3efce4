import type { Stats } from "node:fs";
import { chmod, lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { systemCode } from "../../../base/errors.ts";
import { type Check, failed, passed, warned } from "./check.ts";

interface Entry {
  readonly path: string;
  readonly stats: Stats;
}

/** Entries of the folder that are not checked: git sets the mode of the committed ones, and agents fill `tmp`. */
const others: ReadonlySet<string> = new Set([".gitignore", "config.yaml", "prompt.md", "tmp"]);
/** The folder of what agents left, as they left it: only the folder itself is checked. */
const kept = "replaced";
const maxEntries = 50_000;

/** Checks that only the owner can access `.ralph` (folders 0700, files 0600) and that it has no symbolic link (TRUST-6). */
export async function checkFileModes(root: string): Promise<Check> {
  const check = "permissions";
  if (process.platform === "win32") return passed({ check, detail: "not checked on Windows" });
  const entries = await listPrivate(root);
  if (entries.length === 0) return passed({ check, detail: "no .ralph yet" });
  const link = entries.find(({ stats }) => stats.isSymbolicLink());
  if (link) {
    const detail = `${relative(root, link.path)} is a symbolic link, which ralph never writes through`;
    return failed({ check, detail }, "replace it with a real file or folder");
  }
  // The first command that puts something there closes the folder.
  if (entries.length === 1) return passed({ check, detail: "nothing private in .ralph yet" });
  const open = entries.filter(isOpen);
  const [first] = open;
  if (!first) return passed({ check, detail: "only you can access .ralph" });
  const more = open.length > 1 ? ` (and ${open.length - 1} more)` : "";
  const detail = `other users may access ${relative(root, first.path)}${more}`;
  return warned({ check, detail }, "run `ralph doctor --repair` to restrict them to you");
}

/** Removes other users' access to the entries that `checkFileModes` reports, and returns their number. */
export async function repairFileModes(root: string): Promise<number> {
  if (process.platform === "win32") return 0;
  const open = (await listPrivate(root)).filter(isOpen);
  for (const { path, stats } of open) await unlessGone(chmod(path, stats.mode & 0o700));
  return open.length;
}

function isOpen({ stats }: Entry): boolean {
  return !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
}

/** Lists `.ralph` and its contents without the excluded entries. Follows no link. */
async function listPrivate(root: string): Promise<readonly Entry[]> {
  const top = join(root, ".ralph");
  const entries: Entry[] = [];
  const waiting = [top];
  for (let path = waiting.pop(); path !== undefined && entries.length < maxEntries; path = waiting.pop()) {
    const stats = await unlessGone(lstat(path));
    if (!stats) continue;
    entries.push({ path, stats });
    if (!stats.isDirectory() || path === join(top, kept)) continue;
    for (const name of (await unlessGone(readdir(path))) ?? []) {
      if (path !== top || !others.has(name)) waiting.push(join(path, name));
    }
  }
  return entries;
}

/**
 * Returns undefined when the entry no longer exists: an active run creates and removes files, and the store's driver
 * removes the files beside a closed store a moment later.
 */
async function unlessGone<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const code = systemCode(error);
    // Deeper than paths can be: nobody reaches it by its path.
    if (code === "ENOENT" || code === "ENAMETOOLONG") return undefined;
    throw error;
  }
}
