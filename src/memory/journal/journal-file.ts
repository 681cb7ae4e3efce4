// Synchronous calls: each takes microseconds, and a prompt waits for them.
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import { basename, isAbsolute, join, relative } from "node:path";
import { careful, lookAt, makeFolders } from "../../base/careful-files.ts";
import { RalphError, systemCode } from "../../base/errors.ts";
import { makePrivateFolder, writeRefused } from "../../trust/safe-file.ts";
import type { Journal, JournalSettings, JournalText } from "../port/journal.ts";
import template from "./template.md";

const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = constants;

type Place = Pick<JournalSettings, "base" | "root">;

/** Names that coding agents read as their own instructions from a folder that they may use. */
const instructionFile = /^(?:claude|agents|gemini)\b.*\.md$/i;

/**
 * Creates the journal with a guiding comment if it is missing, and closes it and its folder to other users. Never changes
 * its content. Two processes may call it at once.
 *
 * @throws RalphError as `checkJournal`, and RALPH_FILE_WRITE
 */
export async function createJournal(journal: Journal, place: Place): Promise<void> {
  refuseInside(journal, place);
  try {
    makeFolders(place.base);
  } catch (error) {
    throw writeRefused(journal.path, error);
  }
  await makePrivateFolder(journal.folder, { root: place.base });
  checkJournal(journal, place);
  try {
    closeToOthers(journal.folder);
    fillNew(journal.path);
  } catch (error) {
    throw error instanceof RalphError ? error : writeRefused(journal.path, error);
  }
}

/**
 * Checks that agents may use the journal: no link leads to it or from it, and its folder holds only journals.
 *
 * @throws RalphError RALPH_PATH_SYMLINK, RALPH_PATH_NOT_A_FILE, RALPH_JOURNAL_FOLDER, RALPH_JOURNAL_INSIDE
 */
export function checkJournal(journal: Journal, place: Place): void {
  refuseInside(journal, place);
  const folder = lookAt(journal.folder);
  if (!folder) return;
  const below = relative(place.base, journal.folder);
  if (realpathSync.native(journal.folder) !== join(realpathSync.native(place.base), below))
    throw refusal("SYMLINK", journal.folder, "it is, or is below, a symbolic link");
  if (!folder.isDirectory()) throw refusal("NOT_A_FILE", journal.folder, "it is not a folder");
  refuseUnusual(lookAt(journal.path), journal.path);
  const other = readdirSync(journal.folder, { withFileTypes: true }).find(
    (entry) => !entry.isFile() || instructionFile.test(entry.name),
  );
  if (!other) return;
  const what = JSON.stringify(other.name);
  throw new RalphError("RALPH_JOURNAL_FOLDER", `cannot use ${journal.folder}: it contains ${what}`, {
    hint: "remove it: agents may write in this folder, so it may only contain journals",
  });
}

/**
 * Reads the last `maxBytes` of the journal; null when there is none.
 *
 * @throws RalphError as `checkJournal`
 */
export function readJournal(journal: Journal, place: Place, maxBytes: number): JournalText | null {
  checkJournal(journal, place);
  const file = openExisting(journal.path, O_RDONLY);
  if (file === undefined) return null;
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, maxBytes));
    const length = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const isWhole = bytes.length === size;
    return { text: textOf(bytes.subarray(0, length), isWhole), bytes: size, isWhole };
  } finally {
    closeSync(file);
  }
}

/** Returns what was written after the guiding comment, without blank lines around it; "" for nothing. */
export function contentOf(text: string): string {
  const lines = withoutBlankEnds(text.replaceAll("\r\n", "\n"));
  const comment = template.trim();
  return lines.startsWith(comment) ? withoutBlankEnds(lines.slice(comment.length)) : lines;
}

function withoutBlankEnds(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
}

function refuseInside({ folder }: Journal, { root }: Place): void {
  const inside = relative(root, folder);
  if (inside === ".." || inside.startsWith("../") || isAbsolute(inside)) return;
  throw new RalphError(
    "RALPH_JOURNAL_INSIDE",
    `cannot keep journals in ${folder}: it is inside the project`,
    {
      hint: "set journal.dir to a folder outside the project",
    },
  );
}

/** Creates the file, or closes the one that is there to other users. */
function fillNew(path: string): void {
  const flags = O_WRONLY | O_CREAT | O_EXCL;
  const created = attempt("EEXIST", () => openSync(path, flags, 0o600));
  const file = created ?? openExisting(path, O_WRONLY);
  if (file === undefined) return;
  try {
    if (created !== undefined) writeFileSync(file, template);
    if ((fstatSync(file).mode & 0o077) !== 0) fchmodSync(file, 0o600);
  } finally {
    closeSync(file);
  }
}

function closeToOthers(folder: string): void {
  if ((lstatSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
}

/** Opens a file, not a link or a FIFO; undefined when there is none. */
function openExisting(path: string, access: number): number | undefined {
  const file = attempt("ENOENT", () => openSync(path, access | careful));
  if (file === undefined) return undefined;
  try {
    refuseUnusual(fstatSync(file), path);
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Returns undefined for the expected system error. */
function attempt<T>(expected: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (systemCode(error) === expected) return undefined;
    throw error;
  }
}

/** A hard link would show, or let agents change, a file that has another name elsewhere. */
function refuseUnusual(found: Stats | undefined, path: string): void {
  if (!found) return;
  if (found.isSymbolicLink()) throw refusal("SYMLINK", path, "it is a symbolic link");
  if (!found.isFile()) throw refusal("NOT_A_FILE", path, "it is not a regular file");
  if (found.nlink > 1) throw refusal("SYMLINK", path, "another file name leads to the same file");
}

function refusal(kind: "SYMLINK" | "NOT_A_FILE", path: string, why: string): RalphError {
  return new RalphError(`RALPH_PATH_${kind}`, `cannot use the journal ${path}: ${why}`, {
    hint: `remove or move ${basename(path)}; ralph then creates a new journal`,
  });
}

/** Decodes the bytes; of a cut text, from its first whole line on. */
function textOf(bytes: Buffer, isWhole: boolean): string {
  const start = isWhole ? 0 : bytes.indexOf(0x0a) + 1;
  return bytes.toString("utf8", start);
}
