import { createHash, type Hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { carefulRead, lookClosely } from "../../../base/careful-files.ts";

// What is committed in a write-ahead log stays as it is until the log begins at its start, with another salt
// (sqlite.org/fileformat2.html#walformat). Whoever writes into it past SQLite is noticed by its hash. The file holds no locks,
// so it may be opened and closed, unlike the two beside it.

const headerBytes = 32;
const frameHeaderBytes = 24;
const chunkBytes = 256 * 1024;
/** A commit has few; behind it an earlier log may still fill the file. */
const [fewFrames, manyFrames] = [8, 64];

/** Knows what is committed in the write-ahead log of a store. */
export interface WalMark {
  /** Takes in what was committed since. Call it at once after a commit: what is there then counts as committed by ralph. */
  follow(): void;
  /** The same where nobody else can have written since the last check, which is then cheap until someone does. */
  trust(): void;
  /** The bytes that were taken in. */
  bytes(): number;
  /**
   * Returns true when what was taken in is still there. Costs one call while nobody wrote the file, else a millisecond for
   * each 2 MB.
   */
  isIntact(): boolean;
}

interface Known {
  readonly header: Buffer;
  /** Bytes from the beginning to the end of the last commit. */
  readonly end: number;
  /** Of these bytes. */
  readonly hash: Hash;
}

/** Notes what is committed in the write-ahead log at `path`, which need not exist. */
export function markWal(path: string): WalMark {
  let known: Known | undefined;
  let stamp = stampOf(path);
  const follow = (): void => {
    known = withFile(path, (file) => takeIn(file, known));
  };
  follow();
  return {
    // Does not move the stamp: someone may have written before that commit.
    follow,
    trust: () => {
      follow();
      stamp = stampOf(path);
    },
    bytes: () => known?.end ?? 0,
    isIntact: () => {
      const now = stampOf(path);
      if (now === stamp) return true;
      const before = known;
      if (before && !withFile(path, (file) => isPrefix(file, before))) return false;
      stamp = now;
      return true;
    },
  };
}

/** Changes with every write to the file, and cannot be set. */
function stampOf(path: string): string {
  const stats = lookClosely(path);
  return stats ? `${stats.ino} ${stats.size} ${stats.ctimeNs}` : "";
}

/** Reads the commits after `known`, or all if the header is another one; undefined: there is none. */
function takeIn(file: number, before: Known | undefined): Known | undefined {
  const header = Buffer.alloc(headerBytes);
  if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return undefined;
  const same = before?.header.equals(header) ? before : undefined;
  const hash = same?.hash ?? createHash("sha256").update(header);
  let end = same?.end ?? headerBytes;
  // Of a transaction that did not end: it is written again.
  let open: Buffer[] = [];
  for (const frame of framesFrom(file, end, header)) {
    open.push(frame);
    // Only the last frame of a transaction states the size of the store.
    if (frame.readUInt32BE(4) === 0) continue;
    for (const one of open) {
      hash.update(one);
      end += one.length;
    }
    open = [];
  }
  return { header, end, hash };
}

/** Reads frames until one is of an earlier log. */
function* framesFrom(file: number, start: number, header: Buffer): Generator<Buffer> {
  const salt = header.subarray(16, 24);
  const length = frameHeaderBytes + pageSizeOf(header);
  const { size } = fstatSync(file);
  let frames = fewFrames;
  let at = start;
  while (at + length <= size) {
    const chunk = Buffer.allocUnsafe(Math.min(frames, Math.floor((size - at) / length)) * length);
    const read = readSync(file, chunk, 0, chunk.length, at);
    for (let from = 0; from + length <= read; from += length) {
      const frame = chunk.subarray(from, from + length);
      if (!frame.subarray(8, 16).equals(salt)) return;
      yield frame;
    }
    at += chunk.length;
    frames = manyFrames;
  }
}

/** 1 stands for 65,536. */
function pageSizeOf(header: Buffer): number {
  const size = header.readUInt32BE(8);
  return size === 1 ? 65_536 : Math.max(512, Math.min(size, 65_536));
}

function isPrefix(file: number, { end, hash }: Known): boolean {
  const now = createHash("sha256");
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < end; ) {
    const read = readSync(file, chunk, 0, Math.min(chunkBytes, end - at), at);
    if (read === 0) return false;
    now.update(chunk.subarray(0, read));
    at += read;
  }
  return now.digest().equals(hash.copy().digest());
}

/** Returns what `work` returns; undefined where no such file can be opened. */
function withFile<T>(path: string, work: (file: number) => T): T | undefined {
  let file: number;
  try {
    file = openSync(path, carefulRead);
  } catch {
    return undefined;
  }
  try {
    return work(file);
  } finally {
    closeSync(file);
  }
}
