import { realpathSync, type Stats } from "node:fs";
import { join, relative } from "node:path";
import { lookAt } from "../../base/careful-files.ts";
import type { Workspace } from "./workspace.ts";

/** The files that ralph writes to `learnings.dir`, relative to it, and their temporary files. */
const recordFile = /^(?:learning-[^/]*\.yaml|aggregated\/[^/]*\.yaml|(?:aggregated\/)?\.ralph-[^/]*\.tmp)$/;

/** Written by ralph for other programs, and never committed by it; relative to the root. */
export const contextFile = ".ralph-context.json";

/** Returns true for ralph's files in the project, which never count as work. */
export function isRalphs(path: string, { recordsDir }: Pick<Workspace, "recordsDir">): boolean {
  if (path === ".ralph" || path.startsWith(".ralph/") || path === contextFile) return true;
  return path.startsWith(`${recordsDir}/`) && recordFile.test(path.slice(recordsDir.length + 1));
}

/** Returns the stats of `path` without following a link; undefined if it does not exist. */
export function pathKind(path: string): Stats | undefined {
  try {
    return lookAt(path);
  } catch {
    return undefined;
  }
}

/** Returns what a path leads to through links; the path itself if nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/**
 * Returns `pathKind` for paths relative to `top`, but nothing for a path that is only reachable through a link: what is there is
 * another file. Remembers the folders, so each look at a tree needs its own.
 */
export function kindsIn(top: string): (path: string) => Stats | undefined {
  const folders = new Map([["", true]]);
  const isRealFolder = (folder: string): boolean => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const is = isRealFolder(above(folder)) && pathKind(join(top, folder))?.isDirectory() === true;
    folders.set(folder, is);
    return is;
  };
  return (path) => (isRealFolder(above(path)) ? pathKind(join(top, path)) : undefined);
}

function above(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
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
  const kindOf = kindsIn(top);
  const isPresent = (path: string): boolean => {
    const stats = kindOf(path);
    if (!stats) return false;
    return !stats.isDirectory() || pathKind(join(top, path, ".git")) !== undefined;
  };
  const there = paths.map(isPresent);
  return {
    present: paths.filter((_, index) => there[index]),
    absent: paths.filter((_, index) => !there[index]),
  };
}
