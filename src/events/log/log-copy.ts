import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { careful } from "../../base/careful-files.ts";
import type { RedactedText } from "../../base/safe-text.ts";
import type { Seal } from "../../store/db.ts";
import { moveAside } from "../../trust/move-aside.ts";
import type { LogHead } from "../../trust/project-key.ts";
import { chainLines, type NewLine } from "./chain.ts";
import { type LogEnd, readLogEnd } from "./log-file.ts";

// A copy of the log outside the project, from which it is restored when an agent damaged it and killed ralph, so that nobody has
// its content open any longer. It is equal to the log when an agent begins, and gets what ralph appends meanwhile.

const { O_CREAT, O_RDONLY, O_RDWR } = constants;
const edgeBytes = 4096;
/** A longer copy is not used: where an agent can write it, it can make it as long as it likes. */
const maxCopy = 512 * 1024 * 1024;

/**
 * Makes the copy equal to the log: usually appends what it lacks. Before a copy with anything else is replaced, `onOther` may move
 * it. An error leaves a copy that is behind.
 */
export function catchUp(file: string, copy: string, onOther: () => void): void {
  const appendMissing = (isWhole: boolean): boolean => {
    let isPart = true;
    ignoringErrors(() =>
      withFile(file, O_RDONLY, (log) =>
        withFile(copy, O_RDWR | O_CREAT, (own) => {
          if (isWhole) ftruncateSync(own, 0);
          const had = fstatSync(own).size;
          isPart = isBeginning(own, had, log);
          if (isPart) append(log, { from: had, to: fstatSync(log).size }, own);
        }),
      ),
    );
    return isPart;
  };
  if (appendMissing(false)) return;
  ignoringErrors(onOther);
  appendMissing(true);
}

/** Returns true when the log begins with the copy; the copy's last line confirms all before it. */
function isBeginning(own: number, had: number, log: number): boolean {
  if (had > fstatSync(log).size) return false;
  const length = Math.min(edgeBytes, had);
  return readAt(log, had - length, length).equals(readAt(own, had - length, length));
}

/** Returns where a copy that ends with `head`, or later, is kept once a log without it took its place. */
export function newerCopy(copy: string, { seq, chain }: LogHead): string {
  return join(dirname(copy), `until-${seq}-${chain.replace(/\W/g, "").slice(0, 8)}-${basename(copy)}`);
}

function append(
  log: number,
  { from, to }: { readonly from: number; readonly to: number },
  own: number,
): void {
  for (let at = from; at < to; ) {
    const bytes = readAt(log, at, Math.min(1024 * 1024, to - at));
    if (bytes.length === 0) return;
    writeAll(own, bytes, at);
    at += bytes.length;
  }
}

/** Lines that were appended to the log. */
export interface Appended {
  readonly seal: Seal | null;
  /** The log's end before. */
  readonly end: LogEnd;
  readonly lines: readonly NewLine[];
  /** The same lines as they are in the log. */
  readonly chained: readonly RedactedText[];
}

/** Appends to the copy what was appended to the log, which others may have changed before. Without a copy it does nothing. */
export function appendToCopy(copy: string, { seal, end, lines, chained }: Appended): void {
  ignoringErrors(() =>
    withFile(copy, O_RDWR, (own) => {
      const before = readLogEnd(own);
      const isSame = before.tail === end.tail;
      const texts = isSame ? chained : chainLines(seal, { file: own, end: before }, lines);
      const bytes = Buffer.from(`${before.isComplete ? "" : "\n"}${texts.join("\n")}\n`);
      writeAll(own, bytes, before.size);
    }),
  );
}

/** Returns the last event of the copy; null: there is no copy, none with a chain, or one that is too long. */
export function endOfCopy(copy: string): LogHead | null {
  let end: LogHead | null = null;
  ignoringErrors(() =>
    withFile(copy, O_RDONLY, (own) => {
      const { size, last } = readLogEnd(own);
      const event = size > maxCopy ? undefined : last?.event;
      const chain = event?.["chain"];
      if (event?.seq !== undefined && typeof chain === "string") end = { seq: event.seq, chain };
    }),
  );
  return end;
}

/**
 * Replaces the log by its copy. What was there is moved to a new folder in `.ralph/put-aside`, whose path is returned; null when
 * nothing was there. Errors: those of the files.
 */
export function restoreFromCopy(file: string, copy: string): string | null {
  const unfinished = `${file}.${process.pid}.restored`;
  copyFileSync(copy, unfinished, constants.COPYFILE_EXCL);
  try {
    withFile(unfinished, O_RDWR, fsyncSync);
    const keptIn = moveAside(dirname(file), [file]);
    renameSync(unfinished, file);
    return keptIn;
  } catch (error) {
    ignoringErrors(() => unlinkSync(unfinished));
    throw error;
  }
}

function withFile(path: string, flags: number, work: (file: number) => void): void {
  const file = openSync(path, flags | careful, 0o600);
  try {
    if (fstatSync(file).isFile()) work(file);
  } finally {
    closeSync(file);
  }
}

function readAt(file: number, position: number, length: number): Buffer {
  const buffer = Buffer.alloc(length);
  return buffer.subarray(0, readSync(file, buffer, 0, length, position));
}

function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
}

function ignoringErrors(work: () => void): void {
  try {
    work();
  } catch {
    // By contract.
  }
}
