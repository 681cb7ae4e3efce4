import { closeSync, constants, fstatSync, openSync, writeSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { messageOf, RalphError } from "../../base/errors.ts";
import { makeFolders } from "../../base/make-folders.ts";
import { type RedactedText, redacted } from "../../base/safe-text.ts";
import { makePrivateFolder } from "../../trust/safe-file.ts";
import { redactedText } from "../../trust/safe-text.ts";

const headChars = 16 * 1024 * 1024;
const tailChars = 4 * 1024 * 1024;
const blockChars = 64 * 1024;
const flushMs = 1000;
const { O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;

export interface RawLog {
  line(text: string): void;
  close(): void;
}

/**
 * Opens the log of a session's raw output, redacted and readable by the owner only (0600): its first 16 Mi characters as
 * they arrive, its last 4 Mi at the end. Text is redacted before it is cut; left-out text is not redacted, which would
 * take longer than the agent. Throws RALPH_FILE_WRITE, RALPH_PATH_SYMLINK, RALPH_PATH_NOT_A_FILE.
 */
export async function openRawLog(path: string, projectRoot: string): Promise<RawLog> {
  const file = await openFile(path, projectRoot);
  const tail = lastLines(tailChars + blockChars);
  let room = headChars;
  let pending: string[] = [];
  let chars = 0;
  let lastFlush = performance.now();

  const flush = (last: boolean): void => {
    const text = pending.map((line) => `${line}\n`).join("");
    const open = last ? -1 : startOfUnclosedKey(text);
    const ready = redactedText(open === -1 ? text : text.slice(0, open));
    pending = open === -1 ? [] : text.slice(open, -1).split("\n");
    chars = open === -1 ? 0 : text.length - open;
    lastFlush = performance.now();
    writeAll(file, ready.slice(0, room), path);
    if (ready.length > room) tail.push(ready.slice(room));
    room = Math.max(0, room - ready.length);
  };
  return {
    line(text) {
      if (room === 0 && pending.length === 0) return tail.push(`${text}\n`);
      pending.push(text);
      chars += text.length + 1;
      if (chars >= blockChars || performance.now() - lastFlush >= flushMs) flush(false);
    },
    close() {
      try {
        flush(true);
        writeAll(file, tail.text(), path);
      } finally {
        closeSync(file);
      }
    },
  };
}

interface LastLines {
  push(text: string): void;
  text(): RedactedText;
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
    text() {
      const text = redactedText(lines.join(""));
      if (dropped === 0 && text.length <= keep) return text;
      const shown = text.slice(-tailChars).toWellFormed();
      return redacted`[… about ${dropped + text.length - shown.length} characters left out]\n${shown}`;
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
    const file = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
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
