import { copyFileSync, mkdtempSync, renameSync, unlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { lookAt, makeFolders } from "../base/careful-files.ts";

/**
 * Moves the files that exist, whatever they are, to a new folder in `put-aside` below `folder` (`.ralph`). Returns its path; null
 * when none of them exists. Errors: those of the files.
 */
export function moveAside(folder: string, files: readonly string[]): string | null {
  const present = files.filter(isThere);
  if (present.length === 0) return null;
  const keptIn = newFolder(folder, "killed-");
  for (const file of present) renameSync(file, join(keptIn, basename(file)));
  return keptIn;
}

/** As `moveAside`, but the files stay where they are, and only regular files are copied. */
export function copyAside(folder: string, files: readonly string[]): string | null {
  const present = files.filter((file) => lookAt(file)?.isFile() === true);
  if (present.length === 0) return null;
  const keptIn = newFolder(folder, "found-");
  for (const file of present) copyFileSync(file, join(keptIn, basename(file)));
  return keptIn;
}

function newFolder(folder: string, prefix: string): string {
  const parent = join(folder, "put-aside");
  // A link would lead out of the project.
  if (lookAt(parent)?.isDirectory() === false) unlinkSync(parent);
  makeFolders(parent);
  return mkdtempSync(join(parent, prefix));
}

function isThere(file: string): boolean {
  return lookAt(file) !== undefined;
}
