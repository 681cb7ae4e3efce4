import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { careful, makeFolders } from "../../base/careful-files.ts";
import { messageOf, RalphError } from "../../base/errors.ts";
import { type RedactedText, redacted } from "../../base/safe-text.ts";
import { makePrivateFolder } from "../../trust/safe-file.ts";
import { redactedPiece, redactedText } from "../../trust/safe-text.ts";

const headChars = 16 * 1024 * 1024;
const tailChars = 4 * 1024 * 1024;
const blockChars = 64 * 1024;
const flushMs = 1000;
/** More is redacted in pieces, with other work in between: the search of a long line takes seconds. */
const maxAtOnce = 256 * 1024;
/** Lines that wait for that; later ones are for the end of the log. */
const maxWaiting = headChars * 1.5;
const { O_APPEND, O_CREAT, O_WRONLY } = constants;

export interface RawLog {
  line(text: string): void;
  close(): Promise<void>;
}

/**
 * Opens the log of a session's raw output, redacted and readable by the owner only (0600): its first 16 Mi characters as
 * they arrive, its last 4 Mi at the end. Text is redacted before it is cut; left-out text is not redacted, which would
 * take longer than the agent. Throws RALPH_FILE_WRITE, RALPH_PATH_SYMLINK, RALPH_PATH_NOT_A_FILE.
 */
export async function openRawLog(path: string, projectRoot: string): Promise<RawLog> {
  const file = await openFile(path, projectRoot);
  const tail = lastLines(tailChars + blockChars);
  const head = waitingLines();
  let room = headChars;
  let isFull = false;
  let lastFlush = performance.now();
  let work: Promise<void> | undefined;
  let failed: unknown;

  const write = (ready: RedactedText): void => {
    writeAll(file, ready.slice(0, room), path);
    if (ready.length > room) {
      // The tail already has the lines that came meanwhile.
      if (isFull) tail.leaveOut(ready.length - room);
      else tail.push(ready.slice(room));
    }
    room = Math.max(0, room - ready.length);
  };
  const flush = (): void => {
    lastFlush = performance.now();
    if (head.chars() <= maxAtOnce) write(redactedText(head.take(false)));
    else work = inPieces(head, write).then(() => ended(), ended);
  };
  const ended = (error?: unknown): void => {
    work = undefined;
    failed ??= error;
  };
  return {
    line(text) {
      if (failed !== undefined) throw failed;
      isFull ||= head.chars() > maxWaiting || (room === 0 && head.chars() === 0 && !work);
      if (isFull) return tail.push(`${text}\n`);
      head.push(text);
      if (!work && (head.chars() >= blockChars || performance.now() - lastFlush >= flushMs)) flush();
    },
    async close() {
      try {
        await work;
        if (failed !== undefined) throw failed;
        await inPieces(head, write, true);
        for (const ready of await tail.texts()) writeAll(file, ready, path);
      } finally {
        closeSync(file);
      }
    },
  };
}

interface WaitingLines {
  push(line: string): void;
  chars(): number;
  /** Takes the lines out; unless they are the `last` ones, a key whose end has not arrived stays. */
  take(last: boolean): string;
}

function waitingLines(): WaitingLines {
  let lines: string[] = [];
  let chars = 0;
  return {
    push(line) {
      lines.push(line);
      chars += line.length + 1;
    },
    chars: () => chars,
    take(last) {
      const text = lines.map((line) => `${line}\n`).join("");
      const open = last ? -1 : startOfUnclosedKey(text);
      lines = open === -1 ? [] : text.slice(open, -1).split("\n");
      chars = open === -1 ? 0 : text.length - open;
      return open === -1 ? text : text.slice(0, open);
    },
  };
}

/** Redacts the lines, also those that arrive meanwhile, and lets signals be heard in between. */
async function inPieces(
  lines: WaitingLines,
  write: (ready: RedactedText) => void,
  last = false,
): Promise<void> {
  do {
    for await (const ready of redactedPieces(lines.take(last))) write(ready);
  } while (lines.chars() > blockChars);
}

async function* redactedPieces(text: string): AsyncGenerator<RedactedText> {
  for (let from = 0; from < text.length; ) {
    const piece = redactedPiece(text, from);
    yield piece.text;
    from = piece.end;
    await setImmediate();
  }
}

interface LastLines {
  push(text: string): void;
  /** Counts characters before those that are kept. */
  leaveOut(chars: number): void;
  texts(): Promise<readonly RedactedText[]>;
}

/** Keeps whole lines, about the last `keep` characters: a block more than is shown, as a key may begin before it. */
function lastLines(keep: number): LastLines {
  let lines: string[] = [];
  let length = 0;
  let dropped = 0;
  return {
    push(text) {
      lines.push(text);
      length += text.length;
      if (length < keep * 2) return;
      let first = 0;
      for (; length - (lines[first]?.length ?? 0) >= keep; first++) {
        length -= lines[first]?.length ?? 0;
        dropped += lines[first]?.length ?? 0;
      }
      lines = lines.slice(first);
    },
    leaveOut(chars) {
      dropped += chars;
    },
    async texts() {
      let text = redacted``;
      for await (const piece of redactedPieces(lines.join(""))) text = redacted`${text}${piece}`;
      if (dropped === 0 && text.length <= keep) return [text];
      const shown = text.slice(-tailChars).toWellFormed();
      const gap = dropped + text.length - shown.length;
      return [redacted`[… about ${gap} characters left out]\n`, shown];
    },
  };
}

/** Returns the start of a private key whose end has not arrived: only a whole key is recognised. -1: none. */
function startOfUnclosedKey(text: string): number {
  const start = text.lastIndexOf("-----BEGIN ");
  const isOpen = start !== -1 && !text.includes("-----END ", start) && text.length - start < blockChars;
  return isOpen ? text.lastIndexOf("\n", start) + 1 : -1;
}

async function openFile(path: string, projectRoot: string): Promise<number> {
  const folder = dirname(path);
  const inside = relative(projectRoot, path).split(sep)[0] !== "..";
  if (inside) await makePrivateFolder(folder, { root: projectRoot });
  try {
    if (!inside) makeFolders(folder);
    // The agent may have put a link or a FIFO here.
    const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | careful, 0o600);
    if (fstatSync(file).isFile()) return file;
    closeSync(file);
  } catch (error) {
    throw failure(path, error);
  }
  throw failure(path, new Error("it is not a regular file"));
}

function writeAll(file: number, text: RedactedText, path: string): void {
  const bytes = Buffer.from(text);
  try {
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } catch (error) {
    throw failure(path, error);
  }
}

function failure(path: string, cause: unknown): RalphError {
  return new RalphError("RALPH_FILE_WRITE", `cannot write the agent's log ${path}: ${messageOf(cause)}`, {
    hint: "Check the disk and the folder's owner, then run ralph again.",
    cause,
  });
}
