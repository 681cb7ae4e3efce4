import { readFileSync, realpathSync, rmdirSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { lookAt } from "../../../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../../../base/errors.ts";
import { writeFileSafely, writeRefused } from "../../../trust/safe-file.ts";

/** A configuration file of a person's. Larger ones are not configurations. */
const maxBytes = 4_000_000;

/** A file with its content; null: it does not exist. `path` is the real one: links of a person's are followed. */
export interface PersonFile {
  readonly path: string;
  readonly text: string | null;
}

/** One file before and after; null: it does not exist. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** Reads a file of a person's. Throws `RALPH_CONNECT_FILE` unless it is text in UTF-8 or does not exist. */
export function readPersonFile(named: string): PersonFile {
  const path = realPath(named);
  try {
    const found = lookAt(path);
    if (!found) return { path, text: null };
    if (!found.isFile()) throw unreadable(named, "it is not a regular file");
    if (found.size > maxBytes) throw unreadable(named, "it is larger than 4 MB");
    return {
      path,
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(path)),
    };
  } catch (error) {
    if (error instanceof RalphError) throw error;
    throw unreadable(named, error instanceof TypeError ? "it is not text in UTF-8" : messageOf(error));
  }
}

function unreadable(path: string, why: string): RalphError {
  return new RalphError("RALPH_CONNECT_FILE", `cannot read ${path}: ${why}`, { hint: "check the file" });
}

/** Returns the path without links; what does not exist yet stays as named. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (lookAt(path)?.isSymbolicLink()) throw unreadable(path, "it is a symbolic link to a missing file");
    if (systemCode(error) !== "ENOENT" || dirname(path) === path) throw unreadable(path, messageOf(error));
    return join(realPath(dirname(path)), basename(path));
  }
}

/** Returns the folders above `path` that do not exist, the outermost first. */
export function missingFolders(path: string): readonly string[] {
  const folder = dirname(path);
  if (folder === path || lookAt(folder)) return [];
  return [...missingFolders(folder), folder];
}

/**
 * Writes and deletes files, each atomically, if they are still as they were read.
 *
 * @throws RalphError `RALPH_CONNECT_CHANGED`, `RALPH_FILE_WRITE`
 */
export async function applyChanges(changes: readonly FileChange[]): Promise<void> {
  for (const { path, before } of changes) {
    if (readPersonFile(path).text === before) continue;
    throw new RalphError("RALPH_CONNECT_CHANGED", `nothing was changed: ${path} was changed meanwhile`, {
      hint: "run the command again",
    });
  }
  for (const { path, after } of changes) {
    if (after !== null) await writeOwn(path, after);
    else removeFile(path);
  }
}

/** Replaces a file atomically, and creates missing folders above it. An existing file keeps its mode; a new one has 0600. */
export async function writeOwn(path: string, text: string): Promise<void> {
  const [outermost] = missingFolders(path);
  await writeFileSafely(path, text, { root: dirname(outermost ?? path) });
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    throw writeRefused(path, error);
  }
}

/** Removes the folders that are empty, the innermost first. */
export function removeEmptyFolders(folders: readonly string[]): void {
  for (const folder of folders.toSorted((a, b) => b.length - a.length)) {
    try {
      rmdirSync(folder);
    } catch {
      // It holds files of others, or is gone.
    }
  }
}
