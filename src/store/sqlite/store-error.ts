import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, RalphError, type RalphErrorCode } from "../../base/errors.ts";
import { repairHint } from "./inspect-file.ts";

/** How long to wait for another process's lock, in milliseconds. */
export const busyTimeoutMs = 5000;

interface ErrorMeaning {
  readonly code: RalphErrorCode;
  readonly problem: string;
  readonly hint: string;
}

/** Meanings by SQLite's primary result code (sqlite.org/rescode.html). Other codes are bugs of ralph and stay as they are. */
const meanings: Readonly<Record<number, ErrorMeaning>> = {
  3: { code: "RALPH_STORE_IO", problem: "access was denied", hint: "check the file's permissions and owner" },
  5: locked(),
  6: locked(),
  8: {
    code: "RALPH_STORE_READ_ONLY",
    problem: "cannot be written: the file, its folder or the file system is read-only",
    hint: "make the file and its folder writable for you",
  },
  10: {
    code: "RALPH_STORE_IO",
    problem: "cannot be read or written: the system reports an input/output error",
    hint: "check the disk, then run `ralph doctor`; committed data is kept",
  },
  11: damaged(),
  13: full(),
  14: {
    code: "RALPH_STORE_IO",
    problem: "cannot be opened",
    hint: "check that its folder exists, and that you may read and write both",
  },
  26: { code: "RALPH_STORE_CORRUPT", problem: "is not a SQLite database", hint: repairHint },
};

function damaged(): ErrorMeaning {
  return { code: "RALPH_STORE_CORRUPT", problem: "is damaged", hint: repairHint };
}

function full(): ErrorMeaning {
  return {
    code: "RALPH_STORE_FULL",
    problem: "cannot grow: the disk is full",
    hint: "free some space and run the command again; committed data is kept",
  };
}

function locked(): ErrorMeaning {
  return {
    code: "RALPH_STORE_LOCKED",
    problem: `is locked: another process has held its lock for more than ${busyTimeoutMs / 1000} s`,
    hint: "wait for the other process or end it; `ralph status` shows a run in progress",
  };
}

/** Converts an error of the store at `path` into the `RalphError` for the user; returns other errors unchanged. */
export function storeError(error: unknown, path: string): unknown {
  // SQLite reports a header of a newer format as a plain SQL error, and damage found during preparation without a code.
  const isDamage =
    (resultCode(error) === 1 && messageOf(error) === "unsupported file format") ||
    (resultCode(error) < 2 && messageOf(error) === "database disk image is malformed") ||
    (resultCode(error) === 1 && brokenIndexOptions.test(messageOf(error))) ||
    // Ralph writes neither such numbers nor such rows.
    unreadableNumber.test(messageOf(error)) ||
    resultCode(error) === tooBig;
  const missing = resultCode(error) < 2 ? missingPart(messageOf(error)) : undefined;
  const meaning = isDamage ? damaged() : (missing ?? meaningOf(error, path));
  if (meaning === undefined) return error;
  return new RalphError(meaning.code, `the store ${path} ${meaning.problem} (${messageOf(error)})`, {
    hint: meaning.hint,
    cause: error,
  });
}

/** How the driver refuses an integer beyond 2^53. */
const unreadableNumber = /^Value is too large to be represented as a JavaScript number/;
/** SQLITE_TOOBIG: a text or blob is longer than SQLite can return. */
const tooBig = 18;

/** How SQLite refuses the stored definition or version of a full-text index; ralph's own it accepts. */
const brokenIndexOptions =
  /^(?:invalid fts5 file format|parse error in "|unrecognized (?:column )?option: |malformed \S+ directive|no such (?:module|tokenizer): |error in tokenizer constructor)/;

/** Looks up the meaning of a result code. SQLite reports a full disk as such only when it writes the database or its journal. */
function meaningOf(error: unknown, path: string): ErrorMeaning | undefined {
  const code = resultCode(error);
  const canBeFull = code === inputOutput || code === cannotOpen;
  if (extendedCode(error) === cannotGrowIndex || (canBeFull && isDiskFull(path))) return full();
  return meanings[code];
}

const inputOutput = 10;
const cannotOpen = 14;
/** SQLITE_IOERR_SHMSIZE: no room, or no quota, for the index of the write-ahead log. */
const cannotGrowIndex = 4874;
/** Twice the minimum size of the index of a write-ahead log, in bytes. */
const minFreeBytes = 65_536;

function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    return bavail * bsize < minFreeBytes || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

/** Recognizes a table or column that someone removed: opening the store created all that our statements use. */
function missingPart(message: string): ErrorMeaning | undefined {
  const [, table, column, virtual] =
    /^(?:no such table: (?:main\.)?(\w+)|no such column: (\S+)(?: - should this be .*)?|vtable constructor failed: (\w+))$/.exec(
      message,
    ) ?? [];
  const part = table ?? virtual;
  const what = part !== undefined ? `table ${part}` : column !== undefined ? `column ${column}` : undefined;
  if (what === undefined) return undefined;
  const hint = "run `ralph doctor --repair`, which recreates the missing parts";
  return { code: "RALPH_STORE_INCOMPLETE", problem: `lacks the ${what}`, hint };
}

function extendedCode(error: unknown): number {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code : 0;
}

function resultCode(error: unknown): number {
  return extendedCode(error) & 0xff;
}

export function isLocked(error: unknown): boolean {
  return error instanceof RalphError && error.code === "RALPH_STORE_LOCKED";
}
