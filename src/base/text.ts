import { joinSafe, type RedactedText, type Safe, type SafeText, safe } from "./safe-text.ts";

/** Removes NUL and replaces lone surrogates, so that every database and pipe carries the text unchanged. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** Parts of a character that stand behind its first code point: marks, joined emoji, the second half of a pair. */
const insideCharacter = /^(?:[\uDC00-\uDFFF]|\p{M}|\u200d)/u;
/** Longer sequences are not what a person reads as one character. */
const maxCharacter = 32;

/** Returns the first `max` UTF-16 units of `text`, or fewer: never a part of a character. */
export function firstChars(text: SafeText, max: number): SafeText;
export function firstChars(text: RedactedText, max: number): RedactedText;
export function firstChars(text: string, max: number): string;
export function firstChars(text: string, max: number): string {
  let end = max;
  while (end > 0 && end > max - maxCharacter && isInside(text, end)) end -= 1;
  return text.slice(0, end);
}

function isInside(text: string, at: number): boolean {
  if (at >= text.length) return false;
  return insideCharacter.test(text.slice(at, at + 2)) || text[at - 1] === "\u200d";
}

/** Cuts `text` to at most `max` UTF-16 units, never within a character; `…` replaces what was cut. */
export function clip(text: SafeText, max: number): SafeText;
export function clip(text: RedactedText, max: number): RedactedText;
export function clip(text: string, max: number): string;
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max <= 0) return "";
  return `${firstChars(text, max - 1)}…`;
}

/** Cuts `text` as `clip` does, as a copy: a part of a long string would keep the whole of it in memory. */
export function clipCopy(text: string, max: number): string {
  return text.length <= max ? text : Buffer.from(clip(text, max)).toString();
}

/** Puts `text` on one line: each run of white space becomes one space. */
export function oneLine(text: SafeText): SafeText;
export function oneLine(text: RedactedText): RedactedText;
export function oneLine(text: string): string;
export function oneLine(text: string): string {
  // Lists call this for thousands of texts, and most are one line already.
  return (/\s{2}|[^\S ]/.test(text) ? text.replace(/\s+/g, " ") : text).trim();
}

/** Quotes a word for a shell, if necessary. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** `1 task`, `2 tasks`. */
export function count<N extends string>(n: number, noun: Safe<N>, plural?: Safe<N>): SafeText;
export function count(n: number, noun: string, plural?: string): string;
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}

/** Joins the first `max` names for a sentence: `a, b, c and 2 more`. */
export function nameSome(names: readonly string[], max = 3): string {
  const more = names.length > max ? ` and ${names.length - max} more` : "";
  return `${names.slice(0, max).join(", ")}${more}`;
}

/** Returns the first line: of a warning what a screen shows, before the details of the log. */
export function headline(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the styles that ui/paint.ts writes
const styleOrCharacter = /\u001b\[[\d;]*m|[\s\S]/gu;
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** Marks, zero-width spaces and joiners, and variation selectors (which are marks). */
const zeroWidth = /\p{M}|[\u200b-\u200d]/u;

/** Returns the terminal cells that `text` takes: two for wide characters, none for styles and combining marks. */
export function cells(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let sum = 0;
  for (const [part] of text.matchAll(styleOrCharacter)) sum += cellsOf(part);
  return sum;
}

function cellsOf(part: string): number {
  if (part.startsWith("\u001b") || zeroWidth.test(part)) return 0;
  return wide.test(part) ? 2 : 1;
}

/**
 * Wraps one line at words into lines of at most `width` cells. Further lines begin with the line's own leading spaces
 * and `hanging` more. A word that is longer than a line is broken.
 */
export function wrapLine(line: SafeText, width: number, hanging = 0): readonly SafeText[] {
  if (cells(line) <= width) return [line];
  const own = /^ */.exec(line)?.[0].length ?? 0;
  const margin = safe``.padEnd(Math.min(own + hanging, Math.max(0, width - 20)));
  const lines: SafeText[] = [];
  let start = 0;
  let end = 0;
  const room = (): number => Math.max(1, width - (lines.length === 0 ? 0 : margin.length));
  const push = (until: number): void => {
    const part = line.slice(start, until).trimEnd();
    lines.push(lines.length === 0 ? part : safe`${margin}${part}`);
  };
  for (const { 0: word, index } of line.matchAll(/\S+/g)) {
    if (end > 0 && cells(line.slice(start, index + word.length)) > room()) {
      push(end);
      start = index;
    }
    end = index + word.length;
    for (;;) {
      const fitting = lengthWithin(line.slice(start, end), room());
      if (fitting >= end - start) break;
      push(start + fitting);
      start += fitting;
    }
  }
  push(end);
  return lines;
}

/** Cuts one line to at most `max` cells; `…` replaces what was cut. */
export function clipCells(line: SafeText, max: number): SafeText {
  if (cells(line) <= max) return line;
  return max <= 1 ? safe`` : safe`${line.slice(0, lengthWithin(line, max - 1))}…`;
}

/** Returns how many UTF-16 units of `text` fit into `width` cells, at least one character. */
function lengthWithin(text: string, width: number): number {
  let length = 0;
  let used = 0;
  for (const [part] of text.matchAll(styleOrCharacter)) {
    used += cellsOf(part);
    if (used > width && length > 0) return length;
    length += part.length;
  }
  return length;
}

/** Wraps each line of `text`; further lines of a table's row or a label stay in the column of its last cell's text. */
export function wrapText(text: SafeText, width: number): SafeText {
  const lines = text.split("\n").flatMap((line) => wrapLine(line, width, hangingOf(line, width)));
  return joinSafe(lines, "\n");
}

function hangingOf(line: string, width: number): number {
  const label = /^ *\S.{0,40}? {2,}(?=\S)/.exec(line)?.[0];
  const column = label === undefined ? 0 : cells(label.trimStart());
  return column > 0 && column < width / 3 ? column : 2;
}
