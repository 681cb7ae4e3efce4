import type { LineCursor } from "./line-cursor.ts";

// Each function reads one line from `cursor.next` on in linear time. Long runs are counted by hand: a pattern with a
// repeated group needs stack space for each repetition, and one that is tried at every offset is quadratic.

/** A code fence; `info` text may follow it. */
export interface Fence {
  readonly char: string;
  readonly length: number;
}

export function fenceAt(cursor: LineCursor): Fence | undefined {
  const char = cursor.text[cursor.next] ?? "";
  if (char !== "`" && char !== "~") return undefined;
  const length = cursor.run(char, cursor.next);
  if (length < 3) return undefined;
  const inline = char === "`" && cursor.text.slice(cursor.next + length, cursor.end).includes("`");
  return inline ? undefined : { char, length };
}

export function closesFence(cursor: LineCursor, { char, length }: Fence): boolean {
  const run = cursor.indent < 4 ? cursor.run(char, cursor.next) : 0;
  return run >= length && cursor.isBlankFrom(cursor.next + run);
}

/** Bounds the check, which every marker of a nested list repeats up to the end of the line. */
const maxBreakChars = 1000;

/** Returns true for `***`, `- - -`, `___`. */
export function isThematicBreak(cursor: LineCursor): boolean {
  const char = cursor.text[cursor.next] ?? "";
  if (!"*-_".includes(char) || cursor.end - cursor.next > maxBreakChars) return false;
  let marks = 0;
  for (let at = cursor.next; at < cursor.end; at++) {
    if (cursor.text[at] === char) marks++;
    else if (!cursor.isSpace(at)) return false;
  }
  return marks >= 3;
}

/** The level of a heading such as `## Title`, and the offsets of its text. */
export interface HeadingLine {
  readonly level: number;
  readonly from: number;
  readonly to: number;
}

export function headingAt(cursor: LineCursor): HeadingLine | undefined {
  const { next, end, text } = cursor;
  const level = cursor.run("#", next);
  if (level < 1 || level > 6 || (next + level < end && !cursor.isSpace(next + level))) return undefined;
  let from = next + level;
  while (cursor.isSpace(from)) from++;
  let to = trimmedEnd(cursor, from, end);
  let marks = to;
  while (marks > from && text[marks - 1] === "#") marks--;
  if (marks === from || cursor.isSpace(marks - 1)) to = trimmedEnd(cursor, from, marks);
  return { level, from, to };
}

function trimmedEnd(cursor: LineCursor, from: number, end: number): number {
  let to = end;
  while (to > from && cursor.isSpace(to - 1)) to--;
  return to;
}

/** Returns the level of the heading if this line underlines a paragraph; otherwise 0. */
export function underlineLevel(cursor: LineCursor): number {
  const char = cursor.text[cursor.next] ?? "";
  if (char !== "=" && char !== "-") return 0;
  if (!cursor.isBlankFrom(cursor.next + cursor.run(char, cursor.next))) return 0;
  return char === "=" ? 1 : 2;
}

const blockTags =
  "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|" +
  "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|" +
  "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|" +
  "track|ul";
/** A tag that nothing may follow in its line. Tags longer than `maxTagChars` are treated as text. */
const attribute = "[ \\t]+[A-Za-z_:][\\w.:-]*(?:[ \\t]*=[ \\t]*(?:[^\"'=<>`\\s]+|'[^']*'|\"[^\"]*\"))?";
const anyTag = new RegExp(
  `^<(?:[A-Za-z][A-Za-z0-9-]*(?:${attribute})*[ \\t]*/?|/[A-Za-z][A-Za-z0-9-]*[ \\t]*)>[ \\t]*$`,
);
const maxTagChars = 1000;

/** The end of an HTML block: a line that matches the pattern, or a blank line. */
export type HtmlEnd = RegExp | "blank line";

const htmlStarts: readonly (readonly [RegExp, HtmlEnd])[] = [
  [/^<(?:script|pre|textarea|style)(?:[\s>]|$)/i, /<\/(?:script|pre|textarea|style)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![A-Za-z]/, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [new RegExp(`^</?(?:${blockTags})(?:[ \\t]|/?>|$)`, "i"), "blank line"],
];

export function htmlAt(cursor: LineCursor, inParagraph: boolean): HtmlEnd | undefined {
  if (cursor.text[cursor.next] !== "<") return undefined;
  const head = cursor.text.slice(cursor.next, Math.min(cursor.end, cursor.next + maxTagChars));
  const end = htmlStarts.find(([start]) => start.test(head))?.[1];
  const isWhole = cursor.end - cursor.next <= maxTagChars;
  return end ?? (!inParagraph && isWhole && anyTag.test(head) ? "blank line" : undefined);
}

/** A list item's marker. Items of one list have the same `kind`. */
export interface Marker {
  readonly kind: string;
  readonly length: number;
}

/** Reads a list marker. Only an item with text, and with the number 1 if numbered, interrupts a paragraph. */
export function markerAt(cursor: LineCursor, inParagraph: boolean): Marker | undefined {
  const { next, text } = cursor;
  const digits = digitsAt(cursor);
  const kind = text[next + digits] ?? "";
  if (digits > 9 || !(digits === 0 ? "-*+" : ".)").includes(kind) || kind === "") return undefined;
  const length = digits + 1;
  if (next + length < cursor.end && !cursor.isSpace(next + length)) return undefined;
  if (!inParagraph) return { kind, length };
  if (cursor.isBlankFrom(next + length)) return undefined;
  return digits > 0 && Number(text.slice(next, next + digits)) !== 1 ? undefined : { kind, length };
}

/** Counts at most ten digits: a marker has at most nine. */
function digitsAt({ text, next, end }: LineCursor): number {
  let at = next;
  while (at < end && at < next + 10 && /\d/.test(text[at] ?? "")) at++;
  return at - next;
}
