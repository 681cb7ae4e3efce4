import { mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { isWithin, pathKind, realPath } from "../../git/paths.ts";
import { isSample } from "../../hooks/watched-folders.ts";
import type { Workspace } from "../../workspace.ts";
import { withEveryday } from "../config/keep-everyday.ts";
import { isReached } from "../git-folder/nested-git.ts";
import { asideOf, copyAside, moveAside, setAside } from "../keep-copies.ts";
import {
  type FileSnapshot,
  isUnchanged,
  kindOf,
  listAdded,
  removeAdded,
  restoreFile,
} from "../remembered.ts";

/** A file or folder that an agent must not change, with what it was. */
export interface GuardedEntry {
  readonly path: string;
  readonly was: FileSnapshot;
  /** A configuration of git, of which everyday settings may change. */
  readonly isConfig?: true;
}

/** A path that was restored. */
export interface Restored {
  readonly path: string;
  /** The copy of what was there; undefined where nothing was, or nothing that can be kept. */
  readonly copy?: string | undefined;
}

/** The guarded files and folders. */
export interface GuardedEntries {
  /** Folders come before their entries. */
  readonly entries: readonly GuardedEntry[];
  /** Folders that must contain nothing besides the entries above. */
  readonly closedFolders: readonly string[];
}

/** Returns the entries that differ from what they may be. */
export function changedEntries({ entries }: Pick<GuardedEntries, "entries">): readonly GuardedEntry[] {
  return entries.filter((entry) => !isUnchanged(entry.path, targetOf(entry)));
}

function targetOf({ path, was, isConfig }: GuardedEntry): FileSnapshot {
  return isConfig && !isUnchanged(path, was) ? withEveryday(path, was) : was;
}

/**
 * Restores entries that differ, after it removed what was added to closed folders. What it replaces or removes is copied
 * to the folder `keepIn` first: a person may have written it.
 */
export function restoreEntries(ws: Workspace, before: GuardedEntries, keepIn: string): Restored[] {
  const removed = emptyClosed(ws, before, keepIn);
  const restored = before.entries.flatMap((entry): Restored[] => {
    const { path } = entry;
    const target = targetOf(entry);
    if (target.kind === "other" || isUnchanged(path, target)) return [];
    const folders = target.kind === "absent" || !isOfUser(ws, path) ? [] : makeParent(ws, path, keepIn);
    if (!isParentThere(ws, path)) return [];
    const isFolder = kindOf(path) === "folder";
    // Its other mode starts no program.
    if (isFolder && target.kind === "folder") return [];
    const aside = asideOf(ws, path, keepIn);
    const copy = isFolder ? moveAside(path, aside) : copyAside(path, aside);
    restoreFile(path, target, aside);
    return [...folders, { path, copy }];
  });
  return [...removed, ...restored];
}

/** False in the project and for other work trees, which an agent may remove. */
function isOfUser({ topLevel, commonDir, gitDir }: Workspace, path: string): boolean {
  const isProjects = [topLevel, commonDir, gitDir].some((folder) => isWithin(folder, path));
  return !isProjects && basename(path) !== ".git";
}

/**
 * Makes the folder of what was there, if an agent removed it or put something else in its place; a link to a folder stays.
 * Returns what it replaced.
 */
function makeParent(ws: Workspace, path: string, keepIn: string): Restored[] {
  const folder = dirname(path);
  if (pathKind(realPath(folder))?.isDirectory()) return [];
  const replaced =
    kindOf(folder) === "absent" ? makeParent(ws, folder, keepIn) : [moveOut(ws, folder, keepIn)];
  mkdirSync(folder);
  return replaced;
}

function moveOut(ws: Workspace, path: string, keepIn: string): Restored {
  const { copy } = setAside(ws, path, keepIn);
  rmSync(path, { force: true });
  return { path, copy };
}

/** A folder that did not exist before had no entries, and one that was removed has none. */
function isParentThere({ topLevel }: Workspace, path: string): boolean {
  if (basename(path) === ".git" && path !== join(topLevel, ".git")) return isReached(path);
  const parent = kindOf(dirname(path));
  return parent === "folder" || parent === "link";
}

/** Removes what was added to closed folders. */
function emptyClosed(ws: Workspace, { entries, closedFolders }: GuardedEntries, keepIn: string): Restored[] {
  const absent = new Set(entries.flatMap(({ path, was }) => (was.kind === "absent" ? [path] : [])));
  const known = new Set(entries.flatMap(({ path }) => (absent.has(path) ? [] : [path])));
  const open = closedFolders.filter((folder) => !absent.has(folder));
  return open.flatMap((folder) => {
    const added = listAdded(folder, (path) => known.has(path) || isSample(relative(folder, path)));
    return added.map((bytes): Restored => {
      const path = bytes.toString();
      const aside = asideOf(ws, path, keepIn);
      const isNamed = typeof bytes === "string";
      const copy = isNamed && kindOf(path) !== "folder" ? copyAside(path, aside) : undefined;
      removeAdded(bytes, aside);
      // For the entries that are restored next.
      if (bytes === folder) mkdirSync(folder, { mode: 0o755 });
      return { path, copy };
    });
  });
}
