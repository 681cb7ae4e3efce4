import type { LineCursor } from "./line-cursor.ts";

// Each of these looks at one line from `cursor.next` on and takes time linear in its length. Long runs are counted by
// hand: a pattern with a repeated group needs stack for each turn, and one that is tried from every place is quadratic.

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

/** Every marker of a nested list asks for one, up to the end of the line. */
const longestBreak = 1000;

/** `***`, `- - -`, `___`. */
export function isThematicBreak(cursor: LineCursor): boolean {
  const char = cursor.text[cursor.next] ?? "";
  if (!"*-_".includes(char) || cursor.end - cursor.next > longestBreak) return false;
  let marks = 0;
  for (let at = cursor.next; at < cursor.end; at++) {
    if (cursor.text[at] === char) marks++;
    else if (!cursor.isSpace(at)) return false;
  }
  return marks >= 3;
}

/** The level of a heading such as `## Title`, and where its text stands. */
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

/** The level of the heading that this line under a paragraph makes of it; 0: none. */
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
/** A tag behind which nothing may stand; longer ones than people write are taken for text. */
const attribute = "[ \\t]+[A-Za-z_:][\\w.:-]*(?:[ \\t]*=[ \\t]*(?:[^\"'=<>`\\s]+|'[^']*'|\"[^\"]*\"))?";
const anyTag = new RegExp(
  `^<(?:[A-Za-z][A-Za-z0-9-]*(?:${attribute})*[ \\t]*/?|/[A-Za-z][A-Za-z0-9-]*[ \\t]*)>[ \\t]*$`,
);
const longestTag = 1000;

/** What ends an HTML block: a text that a line holds, or a blank line. */
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
  const head = cursor.text.slice(cursor.next, Math.min(cursor.end, cursor.next + longestTag));
  const end = htmlStarts.find(([start]) => start.test(head))?.[1];
  const isWhole = cursor.end - cursor.next <= longestTag;
  return end ?? (!inParagraph && isWhole && anyTag.test(head) ? "blank line" : undefined);
}

/** A list item's marker. Items of one list have the same `kind`. */
export interface Marker {
  readonly kind: string;
  readonly length: number;
}

/** A paragraph is interrupted only by an item that has text and, if it is numbered, the number 1. */
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

/** At most ten are counted: an item has nine. */
function digitsAt({ text, next, end }: LineCursor): number {
  let at = next;
  while (at < end && at < next + 10 && /\d/.test(text[at] ?? "")) at++;
  return at - next;
}
