/**
 * Facts about the bytes of a line without decoding or parsing it. Whoever can write the log can fill it with lines that
 * are no records: millions of empty ones, or one of 50 MB. They must cost next to nothing.
 */

const newline = 0x0a;
const brace = 0x7b;
const quote = 0x22;
/** `{"type":"","timestamp":""}` */
const minRecord = 26;

/** Returns true for a line that is long enough for an event, and begins like one. */
export function mayBeRecord(line: Uint8Array, from = 0, to: number = line.length): boolean {
  return to - from >= minRecord && line[from] === brace && line[from + 1] === quote;
}

/**
 * Returns the offset after the last newline of the complete lines at `from` of which none may be a record; `from` where there is
 * none. `from` is the beginning of a line.
 */
export function endOfRubbish(bytes: Uint8Array, from: number): number {
  let begin = from;
  // No native search: a call for each of millions of lines takes longer than the bytes.
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === newline) {
      if (mayBeRecord(bytes, begin, at)) return begin;
      begin = at + 1;
    } else if (at - begin === minRecord && mayBeRecord(bytes, begin, at)) return begin;
  }
  return begin;
}

/**
 * Returns how many lines one item of `streamLineBytes` is, and how many of them are not empty: several that are no records come
 * together.
 */
export function countLines(item: Uint8Array | undefined): { readonly all: number; readonly filled: number } {
  if (item === undefined || mayBeRecord(item)) return { all: 1, filled: 1 };
  let all = 0;
  let filled = 0;
  for (let begin = 0, at = 0; at <= item.length; at++) {
    if (at < item.length && item[at] !== newline) continue;
    all += 1;
    if (at > begin) filled += 1;
    begin = at + 1;
  }
  return { all, filled };
}

/** Far more than ralph's own events have. */
const maxDepth = 200;
/** Characters of a line that is parsed without a look at its form: that takes milliseconds whatever is in it. */
const maxUnchecked = 64 * 1024;
/** Values of a longer line, its commas and brackets included: parsing so many takes a fraction of a second. */
const maxValues = 1_000_000;

/** Returns true for text that can be an event, and that is neither deeper nor of more values than one of ralph's can be. */
export function isParsable(text: string): boolean {
  if (text.length < minRecord || !text.startsWith('{"') || !/[}\s]$/.test(text.slice(-1))) return false;
  if (!text.includes('"type"') || !text.includes('"timestamp"')) return false;
  return text.length <= maxUnchecked || hasUsualForm(text);
}

function hasUsualForm(text: string): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    else if (code !== comma) continue;
    values += 1;
    if (depth > maxDepth || values > maxValues) return false;
  }
  return true;
}

const comma = 0x2c;

/** `[` and `{`. */
function isOpening(code: number): boolean {
  return code === 0x5b || code === brace;
}

/** `]` and `}`. */
function isClosing(code: number): boolean {
  return code === 0x5d || code === 0x7d;
}

/** Returns the offset of the quote that ends the string at `from`, or of the end of the text. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return at;
  }
  return text.length;
}
