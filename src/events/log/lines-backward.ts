import { readSync } from "node:fs";
import { mayBeRecord } from "./line-form.ts";

/** Lines of a log that were read from its end. */
export interface LineFromEnd {
  /** False: lines that are no records, of any number; empty ones are not counted. */
  readonly isRecord: boolean;
  /** The line; of lines that are no records, the last one's last bytes. */
  readonly bytes: Buffer;
}

const newline = 0x0a;
const firstChunk = 16 * 1024;
const maxChunk = 8 * 1024 * 1024;
/** Bytes that are enough to distinguish lines. */
const shownBytes = 4096;

/** A line whose beginning was not read yet: its parts, the last one first. */
interface Unfinished {
  readonly parts: readonly Buffer[];
  readonly length: number;
}

const nothing: Unfinished = { parts: [], length: 0 };

/**
 * Reads the lines of a file of `size` bytes, the last one first, as far as it is asked, and no further than about `maxBytes` from
 * the end. Lines longer than `maxLine` are no records.
 */
export function* linesBackward(
  file: number,
  size: number,
  { maxLine, maxBytes }: { readonly maxLine: number; readonly maxBytes: number },
): Generator<LineFromEnd> {
  let unfinished = nothing;
  let length = firstChunk;
  for (let end = size; end > 0; length = Math.min(length * 4, maxChunk)) {
    if (size - end > maxBytes) return;
    const start = Math.max(0, end - length);
    const chunk = Buffer.alloc(end - start);
    readSync(file, chunk, 0, chunk.length, start);
    let to = chunk.length;
    let last: LineFromEnd | undefined;
    // No native search: a call for each of millions of lines takes longer than the bytes.
    for (let at = to - 1; at >= 0; at--) {
      if (chunk[at] !== newline) continue;
      if (unfinished.length > 0 || !isSkipped(chunk, { from: at + 1, to }, last)) {
        last = joined(chunk.subarray(at + 1, to), unfinished, maxLine);
        unfinished = nothing;
        yield last;
      }
      to = at;
    }
    unfinished = withPart(chunk.subarray(0, to), unfinished, maxLine);
    end = start;
  }
  if (unfinished.length > 0) yield joined(Buffer.alloc(0), unfinished, maxLine);
}

/** Returns true for an empty line, and for one that is no record as the `last` one was none. */
function isSkipped(
  chunk: Buffer,
  { from, to }: { readonly from: number; readonly to: number },
  last: LineFromEnd | undefined,
): boolean {
  return from === to || (last?.isRecord === false && !mayBeRecord(chunk, from, to));
}

function withPart(part: Buffer, { parts, length }: Unfinished, maxLine: number): Unfinished {
  const all = length + part.length;
  // What is too long is not collected.
  return { parts: all > maxLine ? parts.slice(0, 1) : [...parts, part], length: all };
}

function joined(first: Buffer, { parts, length }: Unfinished, maxLine: number): LineFromEnd {
  const all = [first, ...parts.toReversed()];
  const begin = all.find((part) => part.length > 0) ?? first;
  // Its length counts, which only the whole line has.
  const isRecord = length + first.length <= maxLine && mayBeRecord(begin, 0, length + first.length);
  return {
    isRecord,
    bytes: isRecord ? Buffer.concat(all) : Buffer.from(all.at(-1) ?? first).subarray(-shownBytes),
  };
}
