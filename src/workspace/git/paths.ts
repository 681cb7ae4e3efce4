import { lstatSync, type Stats } from "node:fs";
import { join, relative } from "node:path";
import type { Workspace } from "../workspace.ts";

/** The files that ralph writes to `learnings.dir`, relative to it, and their temporary files. */
const recordFile = /^(?:learning-[^/]*\.yaml|aggregated\/[^/]*\.yaml|(?:aggregated\/)?\.ralph-[^/]*\.tmp)$/;

/** Returns true for ralph's files in the project, which never count as work. */
export function isRalphs(path: string, { recordsDir }: Pick<Workspace, "recordsDir">): boolean {
  if (path === ".ralph" || path.startsWith(".ralph/") || path === ".ralph-context.json") return true;
  return path.startsWith(`${recordsDir}/`) && recordFile.test(path.slice(recordsDir.length + 1));
}

/** Returns the stats of `path` without following a link; undefined if it does not exist. */
export function pathKind(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Returns true for a path below `folder`; both are absolute. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith("../");
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
export function sortByPresence(top: string, paths: readonly string[]): Presence {
  const folders = new Map<string, boolean>();
  const isRealFolder = (folder: string): boolean => {
    const known = folders.get(folder) ?? pathKind(join(top, folder))?.isDirectory() === true;
    folders.set(folder, known);
    return known;
  };
  const isPresent = (path: string): boolean => {
    const stats = pathKind(join(top, path));
    if (!stats || !parentsOf(path).every(isRealFolder)) return false;
    return !stats.isDirectory() || pathKind(join(top, path, ".git")) !== undefined;
  };
  const there = paths.map(isPresent);
  return {
    present: paths.filter((_, index) => there[index]),
    absent: paths.filter((_, index) => !there[index]),
  };
}
