import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";

/** Returns true for ralph's files in the project root, which never count as work. */
export function isRalphs(path: string): boolean {
  return path === ".ralph" || path.startsWith(".ralph/") || path === ".ralph-context.json";
}

/** Returns the stats of `path` without following a link; undefined if it does not exist. */
export async function pathKind(path: string): Promise<Stats | undefined> {
  return lstat(path).catch(() => undefined);
}

/** Returns the folders above a relative path, nearest last: `a/b/c` gives `a`, `a/b`. */
export function parentsOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

export interface Presence {
  /** Paths of a file, a link or a nested repository. */
  readonly present: readonly string[];
  /** Paths that do not exist, are a plain folder, or are only reachable through a link. */
  readonly absent: readonly string[];
}

/** Partitions paths (relative to `top`) by whether git can store what exists there. */
export async function sortByPresence(top: string, paths: readonly string[]): Promise<Presence> {
  const folders = new Map<string, Promise<boolean>>();
  const isRealFolder = (folder: string): Promise<boolean> => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const asked = pathKind(join(top, folder)).then((stats) => stats?.isDirectory() === true);
    folders.set(folder, asked);
    return asked;
  };
  const isPresent = async (path: string): Promise<boolean> => {
    const stats = await pathKind(join(top, path));
    if (!stats) return false;
    if (!(await Promise.all(parentsOf(path).map(isRealFolder))).every(Boolean)) return false;
    return !stats.isDirectory() || (await pathKind(join(top, path, ".git"))) !== undefined;
  };
  const there = await Promise.all(paths.map(isPresent));
  return {
    present: paths.filter((_, index) => there[index]),
    absent: paths.filter((_, index) => !there[index]),
  };
}
