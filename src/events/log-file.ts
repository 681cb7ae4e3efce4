import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { careful, makeFolders } from "../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../base/errors.ts";
import type { RedactedText } from "../base/safe-text.ts";
import type { RalphEvent } from "./event.ts";
import { parseLine } from "./log-line.ts";

/** How far from the end the last event is searched for, in bytes. */
const maxFromEnd = 64 * 1024 * 1024;
const newline = 0x0a;

const { O_APPEND, O_CREAT, O_RDWR } = constants;

/** The end of a log. */
export interface LogEnd {
  readonly size: number;
  /** False: its last line is torn. */
  readonly isComplete: boolean;
  /** Undefined: none was found. */
  readonly last: RalphEvent | undefined;
}

/**
 * Opens the log to read and append, and creates a private file when there is none. Follows no symbolic link.
 *
 * @throws RalphError RALPH_STORE_PATH, and those of the file system
 */
export function openLogFile(path: string): number {
  try {
    makeFolders(dirname(path));
    const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | careful, 0o600);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    if (!["ELOOP", "EISDIR"].includes(systemCode(error) ?? "")) throw logError(path, error);
  }
  throw notAFile(path);
}

export function notAFile(path: string): RalphError {
  return new RalphError("RALPH_STORE_PATH", `the event log ${path} is not a regular file: expected a file`, {
    hint: "move it; ralph creates a new one",
  });
}

/** Returns the size and the inode of an open log. */
export function identityOf(file: number): string {
  const { ino, size } = fstatSync(file);
  return `${ino} ${size}`;
}

/** Appends `lines` after `end`. Truncates a partial write after a failure; else the next write completes the torn line. */
export function appendLines(
  file: number,
  path: string,
  { end, lines }: { readonly end: LogEnd; readonly lines: readonly RedactedText[] },
): void {
  try {
    const bytes = Buffer.from(`${end.isComplete ? "" : "\n"}${lines.join("\n")}\n`);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } catch (error) {
    try {
      ftruncateSync(file, end.size);
    } catch {
      // The next write completes the torn line.
    }
    throw logError(path, error);
  }
}

/** Reads the end of an open log, up to its last event with a number. */
export function readLogEnd(file: number): LogEnd {
  const { size } = fstatSync(file);
  let isComplete = true;
  for (let length = 64 * 1024; ; length *= 4) {
    const start = Math.max(0, size - length);
    const bytes = Buffer.alloc(size - start);
    readSync(file, bytes, 0, bytes.length, start);
    isComplete = size === 0 || bytes.at(-1) === newline;
    // The first line may have begun before.
    const lines = bytes
      .toString("utf8")
      .split("\n")
      .slice(start === 0 ? 0 : 1);
    for (const line of lines.reverse()) {
      const event = line === "" ? undefined : parseLine(line);
      if (event?.seq !== undefined) return { size, isComplete, last: event };
    }
    if (start === 0 || length >= maxFromEnd) return { size, isComplete, last: undefined };
  }
}

function logError(path: string, cause: unknown): RalphError {
  const code = systemCode(cause) ?? "";
  if (["ENOSPC", "EDQUOT"].includes(code)) {
    return new RalphError("RALPH_STORE_FULL", `cannot write the event log ${path}: the disk is full`, {
      hint: "free some space; the next command writes the missing events",
      cause,
    });
  }
  const readOnly = ["EROFS", "EACCES", "EPERM"].includes(code);
  return new RalphError(
    readOnly ? "RALPH_STORE_READ_ONLY" : "RALPH_STORE_IO",
    `cannot write the event log ${path}: ${messageOf(cause)}`,
    { hint: "check its permissions and the disk; the next command writes the missing events", cause },
  );
}
