/** Characters of a piece: their search takes some hundredths of a second, even where each word is a name. */
const pieceChars = 128 * 1024;
/** Characters on each side of a border that are searched together, to see whether a secret crosses it. */
const aroundBorder = 2048;
/** Longer than a key. */
const maxKeyChars = 64 * 1024;

/** A piece of a text, redacted, and where it ends in the text. */
export interface RedactedPiece {
  readonly text: string;
  readonly end: number;
}

/**
 * Redacts the piece of `text` that begins at `from`, by `hide`. It ends where no secret continues, at the end of a line or a
 * word where there is one: the pieces of a text are together what `hide` makes of it whole, except where a rule looks at
 * lines that are far apart (Kubernetes manifests).
 */
export function redactPiece(text: string, from: number, hide: (part: string) => string): RedactedPiece {
  for (let size = pieceChars; text.length - from > size + aroundBorder; size *= 2) {
    for (const end of borders(text, from + size / 2, from + size)) {
      if (!isBorder(text, end, hide) || opensKey(text.slice(Math.max(from, end - maxKeyChars), end)))
        continue;
      const part = hide(text.slice(from, end));
      if (!endsInSecret.test(part.slice(-200))) return { text: part, end };
    }
  }
  return { text: hide(text.slice(from)), end: text.length };
}

/** A value at the end may go on behind it. */
const endsInSecret = /\[redacted:[a-z0-9-]+\]$/;

/** Lists ends of lines, of words and of other parts between two places, the last ones of each, and where a key begins. */
function borders(text: string, first: number, last: number): readonly number[] {
  const part = text.slice(first, last);
  const ends: number[] = [];
  for (const stop of ["\n", " "]) {
    let at = part.lastIndexOf(stop);
    for (let count = 0; at > 0 && count < 4; count++) {
      ends.push(first + at + 1);
      at = part.lastIndexOf(stop, at - 1);
    }
  }
  const key = part.lastIndexOf(beginning);
  if (key > 0) ends.push(first + key);
  // No line, no word: not within a character of two units.
  for (let at = last; at > last - 800; at -= 100) ends.push(isLowSurrogate(text, at) ? at - 1 : at);
  return ends;
}

function isLowSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code < 0xe000;
}

function isBorder(text: string, at: number, hide: (part: string) => string): boolean {
  const before = text.slice(at - aroundBorder, at);
  const after = text.slice(at, at + aroundBorder);
  return hide(before + after) === hide(before) + hide(after);
}

const beginning = "-----BEGIN ";

/** Checks whether a private key begins in `text` and does not end there. */
function opensKey(text: string): boolean {
  const start = text.lastIndexOf(beginning);
  return start !== -1 && !/-----END [A-Z0-9 ]{0,60}-----/.test(text.slice(start));
}
