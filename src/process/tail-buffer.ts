interface TailBufferOptions {
  readonly headBytes: number;
  readonly tailBytes: number;
}

export interface TailBuffer {
  push(chunk: Uint8Array): void;
  /** Head and tail as text, with a line between them that states how much was left out. */
  text(): string;
  /** The number of bytes left out. */
  dropped(): number;
}

/** Keeps the first `headBytes` and the last `tailBytes` of a stream. Uses that much memory (twice that for the tail). */
export function tailBuffer({ headBytes, tailBytes }: TailBufferOptions): TailBuffer {
  const head: Buffer[] = [];
  let headLength = 0;
  let tail = Buffer.alloc(0);
  let tailLength = 0;
  let total = 0;

  const makeRoom = (bytes: number): void => {
    if (tailLength + bytes <= tail.length) return;
    if (tail.length < tailBytes * 2) {
      const grown = Buffer.allocUnsafe(
        Math.min(tailBytes * 2, Math.max(tail.length * 2, tailLength + bytes, 4096)),
      );
      tail.copy(grown, 0, 0, tailLength);
      tail = grown;
    }
    if (tailLength + bytes > tail.length) {
      const stay = Math.max(0, Math.min(tailLength, tailBytes - bytes));
      tail.copyWithin(0, tailLength - stay, tailLength);
      tailLength = stay;
    }
  };
  const keptTail = (): Buffer => tail.subarray(Math.max(0, tailLength - tailBytes), tailLength);

  return {
    push(chunk) {
      total += chunk.length;
      const toHead = Math.min(chunk.length, headBytes - headLength);
      if (toHead > 0) {
        head.push(Buffer.from(chunk.subarray(0, toHead)));
        headLength += toHead;
      }
      const rest = chunk.subarray(Math.max(toHead, chunk.length - tailBytes));
      if (rest.length === 0) return;
      makeRoom(rest.length);
      tail.set(rest, tailLength);
      tailLength += rest.length;
    },
    text() {
      const end = keptTail();
      const left = total - headLength - end.length;
      if (left === 0) return Buffer.concat([...head, end]).toString("utf8");
      const start = withoutHalfCharacterAtEnd(Buffer.concat(head)).toString("utf8");
      const last = withoutHalfCharacterAtStart(end).toString("utf8");
      return start === ""
        ? `[… ${left} bytes left out]\n${last}`
        : `${start}\n[… ${left} bytes left out]\n${last}`;
    },
    dropped: () => total - headLength - keptTail().length,
  };
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

function withoutHalfCharacterAtStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start++;
  return bytes.subarray(start);
}

function withoutHalfCharacterAtEnd(bytes: Buffer): Buffer {
  let lead = bytes.length - 1;
  while (lead > bytes.length - 4 && isContinuation(bytes[lead])) lead--;
  const first = bytes[lead] ?? 0;
  const needs = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return lead + needs > bytes.length ? bytes.subarray(0, lead) : bytes;
}
