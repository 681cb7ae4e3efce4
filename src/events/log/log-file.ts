import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { careful } from "../../base/careful-files.ts";
import { messageOf, RalphError, systemCode } from "../../base/errors.ts";
import type { RedactedText } from "../../base/safe-text.ts";
import type { RalphEvent } from "../event.ts";
import { endOfRubbish, isParsable, mayBeRecord } from "./line-form.ts";
import { linesBackward } from "./lines-backward.ts";
import { parseLine } from "./log-line.ts";

/** Maximum length of a line in bytes; ralph writes no longer ones. */
const maxLine = 64 * 1024 * 1024;
/** Bytes from the end in which events are searched for: more than one torn line. An agent can make the log 20 GB long. */
const maxFromEnd = maxLine + 16 * 1024 * 1024;
/** Bytes of lines that were parsed without result, after which no other is: an agent can write millions that only look like events. */
const maxVain = 4 * 1024 * 1024;
/** Parsing costs so much whatever the length of a line. */
const minVain = 256;
const newline = 0x0a;
/** Bytes of a line that is no record that show what it is. */
const edge = 4096;

const { O_APPEND, O_CREAT, O_RDWR } = constants;

/** The end of a log: its size, whether its last line is complete, and the last line with a number. */
export interface LogEnd {
  readonly size: number;
  readonly isComplete: boolean;
  /** The last line that is not empty; of one that is no record, its last bytes. */
  readonly tail: string;
  readonly last: { readonly event: RalphEvent; readonly line: string } | undefined;
}

/**
 * Opens the log to read and append, and creates a private file when there is none. Follows no symbolic link. Returns a
 * descriptor for synchronous calls: they run at every event and take less time than a trip to the thread pool.
 */
export function openLogFile(path: string): number {
  try {
    const file = openSync(path, O_RDWR | O_APPEND | O_CREAT | careful, 0o600);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    if (!["ELOOP", "EISDIR"].includes(systemCode(error) ?? "")) throw logError(path, error);
  }
  throw new RalphError("RALPH_STORE_PATH", `the event log ${path} is not a regular file: expected a file`, {
    hint: "move it; ralph creates a new one",
  });
}

/** Appends `lines` and syncs them to the disk. Truncates a partial write after a failure; else the next write repairs it. */
export function appendLines(
  file: number,
  path: string,
  { end, lines }: { readonly end: LogEnd; readonly lines: readonly RedactedText[] },
): void {
  try {
    const bytes = Buffer.from(`${end.isComplete ? "" : "\n"}${lines.join("\n")}\n`);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    fsyncSync(file);
  } catch (error) {
    truncateTo(file, end.size);
    throw logError(path, error);
  }
}

function truncateTo(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // The next write completes the torn line.
  }
}

export function readLogEnd(file: number): LogEnd {
  const { size } = fstatSync(file);
  const isComplete = size === 0 || readBytes(file, size - 1, size)[0] === newline;
  let tail: string | undefined;
  for (const { text: line, event } of recordsBackward(file, size, (one) => one?.seq === undefined)) {
    tail ??= line;
    if (event?.seq !== undefined) return { size, isComplete, tail, last: { event, line } };
  }
  return { size, isComplete, tail: tail ?? "", last: undefined };
}

/** Reads the last `count` events, oldest first. */
export function readLastEvents(file: number, count: number): readonly RalphEvent[] {
  const events: RalphEvent[] = [];
  for (const { event } of recordsBackward(file, fstatSync(file).size)) {
    if (events.length >= count) break;
    if (event) events.push(event);
  }
  return events.reverse();
}

interface RecordFromEnd {
  readonly text: string;
  /** False: lines that are no records, of any number. */
  readonly isRecord: boolean;
  readonly event: RalphEvent | undefined;
}

/** Reads lines and their events from the end, in bounded time: it ends early where too many are read without result. */
function* recordsBackward(
  file: number,
  size: number,
  isVain: (event: RalphEvent | undefined) => boolean = (event) => event === undefined,
): Generator<RecordFromEnd> {
  let vain = 0;
  for (const { bytes, isRecord } of linesBackward(file, size, { maxLine, maxBytes: maxFromEnd })) {
    const text = bytes.toString("utf8");
    const event = isRecord ? parseLine(text) : undefined;
    yield { text, isRecord, event };
    if (isRecord && isParsable(text) && isVain(event)) vain += Math.max(minVain, bytes.length);
    if (vain > maxVain) return;
  }
}

/** A prompt waits for the search. */
const maxSearchedBytes = 256 * 1024;

/** Reads the last `count` events whose type begins with `prefix`, oldest first, of those in the last 256 KiB. */
export function readLastOfType(file: number, count: number, prefix: string): readonly RalphEvent[] {
  const { size } = fstatSync(file);
  // Lines without it are not parsed: they hold whole rows.
  const mark = `"type":"${prefix}`;
  for (let length = 16 * 1024; ; length *= 4) {
    const start = Math.max(0, size - length);
    const events: RalphEvent[] = [];
    for (const line of readLines(file, start, size).reverse()) {
      const event = line.includes(mark) ? parseLine(line) : undefined;
      if (event?.type.startsWith(prefix)) events.unshift(event);
      if (events.length === count) return events;
    }
    if (start === 0 || length >= maxSearchedBytes) return events;
  }
}

/** Reads the events numbered above `seq` at the log's end, oldest first. Ignores the events of an older store before them. */
export function readEventsAfter(file: number, seq: number): readonly RalphEvent[] {
  return readLinesAfter(file, seq).flatMap(({ event }) => (event?.seq === undefined ? [] : [event]));
}

export interface LogLine {
  readonly text: string;
  /** Undefined: the line is no event. */
  readonly event: RalphEvent | undefined;
  /** The line before it in the file; "" for the first, and after lines that are no records. */
  readonly before: string;
}

/** More than ralph appends in an iteration. */
const maxLinesAfter = 100_000;

/** Reads the records after the last one whose number is at most `seq`, oldest first; of a flood the last ones. */
export function readLinesAfter(file: number, seq: number): readonly LogLine[] {
  const lines: { text: string; event: RalphEvent | undefined; before: string }[] = [];
  let after: { before: string } | undefined;
  for (const { text, isRecord, event } of recordsBackward(file, fstatSync(file).size)) {
    if (after) after.before = isRecord ? text : "";
    after = undefined;
    if (!isRecord) continue;
    if (lines.length >= maxLinesAfter || (event?.seq !== undefined && event.seq <= seq)) break;
    const line = { text, event, before: "" };
    lines.push(line);
    after = line;
  }
  return lines.reverse();
}

/**
 * Reads the lines that begin at or after `from`, the beginning of a line, with the line before each; that of the first is
 * searched for from `start` on. Yields empty lines too, as ralph writes none, and ends with the
 * beginning of a very long line that is no record. Reads only as far as it is asked: whoever can write
 * the log can make it long.
 */
export function* readLinesFrom(
  file: number,
  start: number,
  from: number,
): Generator<Pick<LogLine, "text" | "before">> {
  let before = readLines(file, start, from).findLast((text) => text !== "") ?? "";
  let length = 64 * 1024;
  for (let at = from; ; ) {
    const buffer = Buffer.alloc(length);
    const bytes = buffer.subarray(0, readSync(file, buffer, 0, length, at));
    const isLast = bytes.length < length || length >= maxLine;
    const end = isLast ? bytes.length : bytes.lastIndexOf(newline) + 1;
    for (const text of textsIn(bytes.subarray(0, end))) {
      yield { text, before };
      before = text;
    }
    if (isLast) return;
    if (end === 0 && !mayBeRecord(bytes)) {
      // One of 50 MB need not be read to its end.
      yield { text: bytes.toString("utf8", 0, edge), before };
      return;
    }
    if (end === 0) length *= 4;
    at += end;
  }
}

/** Returns the lines of `bytes`; there is none after the last newline. */
function textsIn(bytes: Buffer): readonly string[] {
  const texts = bytes.toString("utf8").split("\n");
  return texts.at(-1) === "" ? texts.slice(0, -1) : texts;
}

/** Reads the lines between two offsets, without the one that begins before `start`. The last is "" after a complete line. */
function readLines(file: number, start: number, end: number): string[] {
  const bytes = readBytes(file, start, end);
  const from = start === 0 ? 0 : bytes.indexOf(newline) + 1;
  return bytes.toString("utf8", from).split("\n");
}

function readBytes(file: number, start: number, end: number): Buffer {
  const buffer = Buffer.alloc(end - start);
  return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, start));
}

/** Reads every record of the file. Splits bytes, so a bad character cannot join lines. */
export async function* streamLines(file: FileHandle): AsyncGenerator<string> {
  for await (const line of streamLineBytes(file)) {
    if (line !== undefined && mayBeRecord(line)) yield line.toString("utf8");
  }
}

/**
 * Reads every line of the file as bytes, `undefined` for one that is too long. Successive lines that are no records come
 * together, with the newlines between them (`countLines`): there can be millions.
 */
export async function* streamLineBytes(file: FileHandle): AsyncGenerator<Buffer | undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  const take = (): Buffer | undefined => {
    const line = length > maxLine ? undefined : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of file.createReadStream({
    start: 0,
    autoClose: false,
    highWaterMark: 64 * 1024,
  })) {
    let rest = chunk as Buffer;
    for (let at = rest.indexOf(newline); at >= 0; at = rest.indexOf(newline)) {
      // The end of a line that began in an earlier chunk, or a record, comes alone.
      const rubbish = length > 0 ? 0 : endOfRubbish(rest, 0);
      if (rubbish > 0) {
        yield rest.subarray(0, rubbish - 1);
        rest = rest.subarray(rubbish);
        continue;
      }
      parts.push(rest.subarray(0, at));
      length += at;
      yield take();
      rest = rest.subarray(at + 1);
    }
    length += rest.length;
    if (length <= maxLine) parts.push(rest);
    else parts = [];
  }
  if (length > 0) yield take();
}

function logError(path: string, cause: unknown): RalphError {
  const code = systemCode(cause) ?? "";
  if (["ENOSPC", "EDQUOT"].includes(code)) {
    return new RalphError("RALPH_STORE_FULL", `cannot write the event log ${path}: the disk is full`, {
      hint: "free some space and run the command again; no event is lost",
      cause,
    });
  }
  const readOnly = ["EROFS", "EACCES", "EPERM"].includes(code);
  return new RalphError(
    readOnly ? "RALPH_STORE_READ_ONLY" : "RALPH_STORE_IO",
    `cannot write the event log ${path}: ${messageOf(cause)}`,
    { hint: "check its permissions and the disk; no event is lost", cause },
  );
}
