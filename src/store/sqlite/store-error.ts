import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, RalphError, type RalphErrorCode } from "../../base/errors.ts";
import { repairHint } from "./file/inspect-file.ts";

/** How long to wait for another process's lock, in milliseconds. */
export const busyTimeoutMs = 5000;

interface ErrorMeaning {
  readonly code: RalphErrorCode;
  readonly says: string;
  readonly hint: string;
}

/** By SQLite's primary result code (sqlite.org/rescode.html). What is not here is a bug of ours and stays as it is. */
const meanings: Readonly<Record<number, ErrorMeaning>> = {
  3: { code: "RALPH_STORE_IO", says: "access was denied", hint: "check the file's permissions and owner" },
  5: locked(),
  6: locked(),
  8: {
    code: "RALPH_STORE_READ_ONLY",
    says: "cannot be written: the file, its folder or the file system is read-only",
    hint: "make the file and its folder writable for you",
  },
  10: {
    code: "RALPH_STORE_IO",
    says: "cannot be read or written: the system reports an input/output error",
    hint: "check the disk, then run `ralph doctor`; what was committed before is kept",
  },
  11: damaged(),
  13: full(),
  14: {
    code: "RALPH_STORE_IO",
    says: "cannot be opened",
    hint: "check that its folder exists and that you may read and write both",
  },
  26: { code: "RALPH_STORE_CORRUPT", says: "is not a SQLite database", hint: repairHint },
};

function damaged(): ErrorMeaning {
  return { code: "RALPH_STORE_CORRUPT", says: "is damaged", hint: repairHint };
}

function full(): ErrorMeaning {
  return {
    code: "RALPH_STORE_FULL",
    says: "cannot grow: the disk is full",
    hint: "free some space and run the command again; what was committed before is kept",
  };
}

function locked(): ErrorMeaning {
  return {
    code: "RALPH_STORE_LOCKED",
    says: `is locked: another process holds its lock for more than ${busyTimeoutMs / 1000} s`,
    hint: "wait for the other process, or end it; `ralph status` shows a run that is under way",
  };
}

/** `error` as the user should see it when the store at `path` raised it; errors of ours are returned as they are. */
export function storeError(error: unknown, path: string): unknown {
  // A header from the future is reported as a plain SQL error; damage met while a statement is prepared, without a code.
  const odd =
    (resultCode(error) === 1 && messageOf(error) === "unsupported file format") ||
    (resultCode(error) < 2 && messageOf(error) === "database disk image is malformed");
  const lost = resultCode(error) < 2 ? lostPart(messageOf(error)) : undefined;
  const meaning = odd ? damaged() : (lost ?? meaningOf(error, path));
  if (meaning === undefined) return error;
  return new RalphError(meaning.code, `The store ${path} ${meaning.says} (${messageOf(error)}).`, {
    hint: meaning.hint,
    cause: error,
  });
}

/** SQLite reports a full disk as such only when it writes the database or its journal. */
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
/** Twice what the index of a write-ahead log takes at least, in bytes. */
const leastRoom = 65_536;

function isDiskFull(path: string): boolean {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(dirname(path));
    return bavail * bsize < leastRoom || (files > 0 && ffree === 0);
  } catch {
    return false;
  }
}

/** A part of the schema that someone took out: every statement of ours fits the schema that opening it has made. */
function lostPart(message: string): ErrorMeaning | undefined {
  const [, table, column, virtual] =
    /^(?:no such table: (?:main\.)?(\w+)|no such column: (\S+)|vtable constructor failed: (\w+))$/.exec(
      message,
    ) ?? [];
  const part = table ?? virtual;
  const what = part !== undefined ? `table ${part}` : column !== undefined ? `column ${column}` : undefined;
  if (what === undefined) return undefined;
  const hint = "run `ralph doctor --repair`: it makes what is missing anew";
  return { code: "RALPH_STORE_INCOMPLETE", says: `lacks the ${what}`, hint };
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
