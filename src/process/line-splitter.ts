const newline = 0x0a;
const carriageReturn = 0x0d;
const firstCapacity = 64 * 1024;

interface LineSplitterOptions {
  /** Longer lines are cut to this length and end with a marker that states their full length. */
  readonly maxLineBytes: number;
  readonly onLine: (line: Line) => void;
}

export interface Line {
  /** Without its line end; invalid UTF-8 is replaced by U+FFFD. */
  readonly text: string;
  readonly truncated: boolean;
}

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** Emits a last line that has no line end. */
  end(): void;
}

/**
 * Splits a byte stream into lines at byte `\n` only (U+2028 is text). Memory is bounded by `maxLineBytes`, whatever the
 * length of a line; `readline` throws beyond 512 MiB.
 */
export function lineSplitter({ maxLineBytes, onLine }: LineSplitterOptions): LineSplitter {
  let kept = Buffer.allocUnsafe(Math.min(firstCapacity, maxLineBytes));
  let length = 0;
  let dropped = 0;

  const keep = (bytes: Buffer): void => {
    const fits = Math.min(bytes.length, maxLineBytes - length);
    if (length + fits > kept.length) {
      const grown = Buffer.allocUnsafe(Math.min(maxLineBytes, Math.max(kept.length * 2, length + fits)));
      kept.copy(grown, 0, 0, length);
      kept = grown;
    }
    bytes.copy(kept, length, 0, fits);
    length += fits;
    dropped += bytes.length - fits;
  };
  const emit = (): void => {
    const end = dropped === 0 && kept[length - 1] === carriageReturn ? length - 1 : length;
    const text = kept.toString("utf8", 0, length === 0 ? 0 : end);
    const truncated = dropped > 0;
    const total = length + dropped;
    length = 0;
    dropped = 0;
    if (kept.length > firstCapacity * 16) kept = Buffer.allocUnsafe(firstCapacity);
    onLine({ text: truncated ? `${text} […truncated, ${total} bytes in all]` : text, truncated });
  };

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, from)) {
        keep(chunk.subarray(from, at));
        emit();
        from = at + 1;
      }
      if (from < chunk.length) keep(chunk.subarray(from));
    },
    end() {
      if (length > 0) emit();
    },
  };
}
