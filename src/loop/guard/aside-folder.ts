import { mkdirSync, mkdtempSync, renameSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { lookAt, makeFolders } from "../../base/careful-files.ts";
import type { Loop } from "../loop.ts";

/** The folder for what agents of this run left. */
export interface AsideFolder {
  readonly keepIn: string;
  /** `.ralph` was a link, a pipe or a file, and is an empty folder now. */
  readonly isRestored: boolean;
}

/**
 * Returns the folder, which may be missing. Links and files that an agent put in its place, or in that of `.ralph`, are
 * removed: ralph would write where an agent cannot. What a link leads to is not touched.
 */
export function asideFolder({ folder, runId }: Pick<Loop, "folder" | "runId">): AsideFolder {
  const isRestored = removeOther(folder);
  if (isRestored) mkdirSync(folder, { mode: 0o700 });
  const all = join(folder, "put-aside");
  const keepIn = join(all, runId);
  for (const path of [all, keepIn]) removeOther(path);
  return { keepIn, isRestored };
}

/**
 * Removes links, pipes and files that an agent put in place of the folders in which later iterations write, and returns their
 * paths. What a link leads to is not touched.
 */
export function restoreFolders(
  { folder, runId }: Pick<Loop, "folder" | "runId">,
  names: readonly string[] = ["logs", join("logs", runId), "tmp", "alive"],
): readonly string[] {
  return names.map((name) => join(folder, name)).filter(removeOther);
}

/** Moves away a folder that has the name of a file. */
export function moveFolder(path: string, keepIn: string): void {
  if (lookAt(path)?.isDirectory()) moveAny(path, keepIn);
}

/** Moves away whatever is at `path`. Returns false for nothing. */
export function moveAny(path: string, keepIn: string): boolean {
  if (!lookAt(path)) return false;
  makeFolders(keepIn);
  renameSync(path, join(mkdtempSync(join(keepIn, "store-")), basename(path)));
  return true;
}

function removeOther(folder: string): boolean {
  const there = lookAt(folder);
  if (!there || there.isDirectory()) return false;
  unlinkSync(folder);
  return true;
}
