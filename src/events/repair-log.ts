import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { carefulRead, lookAt } from "../base/careful-files.ts";
import type { RedactedText } from "../base/safe-text.ts";
import type { Db, Seal, Tx } from "../store/db.ts";
import type { LogHead } from "../trust/project-key.ts";
import { makePrivateFolder } from "../trust/safe-file.ts";
import type { RalphEvent } from "./event.ts";
import { chainValue, unchained } from "./log/chain.ts";
import { countLines } from "./log/line-form.ts";
import { streamLineBytes } from "./log/log-file.ts";
import { createDuplicateFilter, toLogEvent } from "./log/log-line.ts";
import { takeSnapshot } from "./log/snapshot.ts";
import { createLineVerifier, type LineVerdict } from "./log/verify-lines.ts";
import { isSealed, readPending, record, removePending } from "./outbox-store.ts";
import { asUnverified, loggedLine, redactedJson, withChain } from "./redact-json.ts";

interface LogPlace {
  /** `.ralph/events.jsonl`. */
  readonly file: string;
  /** The project's folder. */
  readonly root: string;
  /** A folder, created if needed, to which the damaged log is moved. */
  readonly keepIn: string;
  /** True: the rows of the store count from now on, whatever the log said. Default false: an agent may have left them. */
  readonly accepts?: boolean;
}

interface RepairedLog {
  /** The end of the new log; null without a key. */
  readonly head: LogHead | null;
  /** Where the damaged log is; null when there was none. */
  readonly kept: string | null;
  /** Lines of the damaged log that the new one has only marked `unverified`, or not at all. */
  readonly damaged: number;
}

/**
 * Writes the log again: its intact lines, then a snapshot of the store, so that a rebuild from it is complete, and an event
 * `log.repaired`. Damaged lines that still hold an event of the store are marked `unverified`; the others are left out. Whatever was at the
 * log's path is kept.
 */
export async function repairLog(db: Db, place: LogPlace, now: Date): Promise<RepairedLog> {
  const unfinished = `${place.file}.${process.pid}.rebuilt`;
  try {
    return await db.transaction((tx) => replaceLog(tx, { ...place, unfinished }, now));
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function replaceLog(
  tx: Tx,
  { file, root, keepIn, accepts = false, unfinished }: LogPlace & { readonly unfinished: string },
  now: Date,
): Promise<RepairedLog> {
  await rm(unfinished, { force: true });
  const writer = createWriter(openSync(unfinished, "wx", 0o600), tx.seal);
  let seq = 0;
  let damaged = 0;
  try {
    damaged = await copyLines(file, writer, { seal: tx.seal, last: await tx.dialect.lastNumber("outbox") });
    await record(tx, { type: "log.repaired", data: { damaged, accepted: accepts } }, now);
    for (const event of await takeSnapshot(tx, now)) writer.add(redactedJson(event), true);
    for (const event of await readPending(tx)) {
      writer.add(redactedJson(toLogEvent(event)), isSealed(tx.seal, event));
      seq = event.seq;
    }
  } finally {
    writer.close();
  }
  const isThere = lookAt(file) !== undefined;
  if (isThere) {
    await makePrivateFolder(keepIn, { root });
    await rename(file, join(keepIn, basename(file)));
  }
  await rename(unfinished, file);
  await removePending(tx, seq);
  const { chain } = writer;
  return {
    head: chain === null ? null : { seq, chain },
    kept: isThere ? join(keepIn, basename(file)) : null,
    damaged,
  };
}

/** The part of a log that its store knows. */
interface Recorded {
  readonly seal: Seal | null;
  /** The number of its last event. */
  readonly last: number;
}

/** Copies the lines of the log at `file` that are worth keeping, and returns how many are damaged. */
async function copyLines(file: string, writer: Writer, { seal, last }: Recorded): Promise<number> {
  if (lookAt(file)?.isFile() !== true) return 0;
  const verifier = createLineVerifier(seal);
  const isDuplicate = createDuplicateFilter();
  const handle = await open(file, carefulRead);
  let damaged = 0;
  try {
    for await (const line of streamLineBytes(handle)) {
      // Without a key only numbers show what is in its place, and no line after a gap is.
      if (seal?.keyId == null && damaged > 0) break;
      const verdict = verifier.next(line);
      if (verdict.fault !== null) damaged += countLines(line).all;
      const { event } = verdict;
      // A number that ralph never gave would pass for the end of the log.
      const isForged = verdict.fault !== null && (event?.seq ?? 0) > last;
      if (event && line && !isForged && !isDuplicate(event))
        copyLine(writer, line.toString("utf8"), verdict, event);
    }
  } finally {
    await handle.close();
  }
  return damaged;
}

function copyLine(writer: Writer, text: string, { state, fault }: LineVerdict, event: RalphEvent): void {
  const { chain: _, unverified: __, ...rest } = event;
  if (state === "older" && fault === null) writer.keep(loggedLine(text));
  else if (state === "sealed") writer.add(loggedLine(unchained(text)), true);
  else writer.add(loggedLine(state === "unverified" ? unchained(text) : JSON.stringify(rest)), false);
}

interface Writer {
  /** Writes a line of an earlier version as it is, while no line before it is chained. */
  keep(line: RedactedText): void;
  /** Chains a line; marks it `unverified` when it is not sealed. Without a key, lines that are not sealed are left out. */
  add(line: RedactedText, sealed: boolean): void;
  /** Writes what is left and syncs the file. */
  close(): void;
  /** The chain value of the last line. */
  readonly chain: string | null;
}

const chunkBytes = 256 * 1024;

function createWriter(file: number, seal: Seal | null): Writer {
  const key = seal?.keyId == null ? null : seal;
  const hash = createHash("sha256");
  let chain: string | null = null;
  let waiting = "";
  const flush = (): void => {
    const bytes = Buffer.from(waiting);
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    waiting = "";
  };
  const write = (line: string): void => {
    waiting += `${line}\n`;
    if (waiting.length > chunkBytes) flush();
  };
  const add = (line: RedactedText, sealed: boolean): void => {
    if (key === null) {
      if (sealed) write(line);
      return;
    }
    const body = sealed ? line : asUnverified(line);
    const value = chainValue(key, chain ?? hash.copy().digest("hex"), body);
    if (value === null) return;
    chain = value;
    write(withChain(body, value));
  };
  return {
    add,
    keep: (line) => {
      if (chain !== null) return add(line, false);
      hash.update(`${line}\n`);
      write(line);
    },
    close: () => {
      try {
        flush();
        fsyncSync(file);
      } finally {
        closeSync(file);
      }
    },
    get chain() {
      return chain;
    },
  };
}
