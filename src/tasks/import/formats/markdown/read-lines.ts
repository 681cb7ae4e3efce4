import { RalphError } from "../../../../base/errors.ts";
import { type Checkbox, checkboxAt, malformedBox, malformedItem } from "./checkbox.ts";

/** A part of a document: a heading, a list item with what is indented below it, or lines of text between them. */
export interface Part {
  readonly kind: "heading" | "item" | "text";
  /** Indexes of its first and last line. */
  readonly from: number;
  to: number;
  /** Of a heading: 1 to 6. */
  readonly level: number;
  /** Of an item: the column at which its content begins. */
  readonly width: number;
  /** The lines of its first paragraph, without a checkbox. */
  readonly head: string[];
  readonly checkbox: Checkbox | undefined;
  readonly children: Part[];
}

export interface Lines {
  readonly parts: readonly Part[];
  /** Without the marks of quotes. */
  readonly lines: readonly string[];
  /** Lines that resemble a checkbox and are none: each would otherwise disappear from the list unnoticed. */
  readonly malformed: readonly { readonly line: number; readonly written: string; readonly why: string }[];
}

/** Nesting of lists and quotes; people rarely exceed five levels. */
const maxDepth = 100;
/** Signals wait while a list is read: half a second for so many items (TRUST-12). */
const maxItems = 100_000;
/** Bounds the check for a thematic break, whose pattern needs stack space for each repetition. */
const maxBreakChars = 1000;
const tabStop = 4;

/**
 * Reads the lines of a Markdown list: headings (`#`), items, the text below them, and nothing within fenced or indented code and
 * comments. Quotes are read as if they were none. Linear in the text. Throws RALPH_IMPORT_INVALID beyond `maxDepth` or `maxItems`.
 */
export function readLines(text: string, path: string): Lines {
  const reader = new LineReader(path);
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  for (const { index, 0: lineBreak } of text.matchAll(/\r\n?|\n/g)) {
    reader.add(text.slice(start, index), start);
    start = index + lineBreak.length;
  }
  if (start < text.length) reader.add(text.slice(start), start);
  return { parts: reader.root.children, lines: reader.lines, malformed: reader.malformed };
}

/** Lines that are kept as written: fenced code, or a comment. */
interface Verbatim {
  readonly isQuoted: boolean;
  readonly width: number;
  isLast(line: string): boolean;
}

/** The rest of a line behind its indentation, and the column where it begins. */
interface Rest {
  readonly text: string;
  readonly offset: number;
  readonly column: number;
}

class LineReader {
  readonly #path: string;
  readonly root: Part = partOf("item", 0, 0);
  readonly lines: string[] = [];
  readonly malformed: { line: number; written: string; why: string }[] = [];
  /** The open items, outermost first, below the document. */
  readonly #open: Part[] = [this.root];
  #verbatim: Verbatim | undefined;
  /** True while a paragraph is open, which the next line may continue. */
  #inParagraph = false;
  #items = 0;

  constructor(path: string) {
    this.#path = path;
  }

  add(written: string, start: number): void {
    const { rest, isQuoted } = this.#withoutQuotes(restOf(written, start, 0));
    this.lines.push(isQuoted ? `${" ".repeat(rest.column)}${rest.text}` : written);
    if (this.#continueVerbatim(rest, isQuoted)) return;
    if (rest.text.trim() === "") {
      this.#inParagraph = false;
      return;
    }
    if (this.#isText(rest)) this.#addText(rest);
    else this.#startBlock(rest, isQuoted);
  }

  get #top(): Part {
    return this.#open.at(-1) ?? this.root;
  }

  /** Removes the marks of quotes, but for those within an item. */
  #withoutQuotes(first: Rest): { readonly rest: Rest; readonly isQuoted: boolean } {
    let rest = first;
    let depth = 0;
    if (this.#verbatim && !this.#verbatim.isQuoted) return { rest, isQuoted: false };
    while (rest.text.startsWith(">") && rest.column < tabStop && (depth > 0 || this.#isOutside(rest))) {
      if (++depth > maxDepth) throw this.#refuse("depth");
      const skipped = /^>[ \t]?/.exec(rest.text)?.[0].length ?? 1;
      rest = restOf(rest.text.slice(skipped), rest.offset + skipped, 0);
    }
    return { rest, isQuoted: depth > 0 };
  }

  #isOutside({ column }: Rest): boolean {
    return this.#top === this.root || column < this.#top.width;
  }

  #continueVerbatim(rest: Rest, isQuoted: boolean): boolean {
    const open = this.#verbatim;
    if (!open) return false;
    const isLeft = open.isQuoted !== isQuoted || (rest.text !== "" && rest.column < open.width);
    if (isLeft || open.isLast(rest.text)) this.#verbatim = undefined;
    if (isLeft) return false;
    this.#extend();
    return true;
  }

  /** Returns true for indented code, and for a line without any mark of its own. */
  #isText(rest: Rest): boolean {
    this.#closeUnless(rest, this.#inParagraph && !this.#begins(rest));
    const isCode = !this.#inParagraph && rest.column - this.#top.width >= tabStop;
    return isCode || !this.#begins(rest);
  }

  #begins({ text, column }: Rest): boolean {
    if (/^(?:`{3,}[^`]*$|~{3,}|<!--)/.test(text) || headingLevel(text) > 0 || isBreak(text)) return true;
    const marker = markerOf(text);
    if (marker === undefined) return false;
    const after = text.slice(marker.length).trimStart();
    // Within a paragraph, a number is one of its words unless it is 1 or a checkbox follows.
    const interrupts = after !== "" && (!/\d/.test(marker) || /^0*1\D/.test(marker) || after.startsWith("["));
    return !this.#inParagraph || interrupts || column < this.#top.width;
  }

  /** Closes the items that the line is not indented for; a paragraph may continue without its indentation. */
  #closeUnless({ column }: Rest, isContinued: boolean): void {
    if (isContinued) return;
    while (this.#open.length > 1 && column < this.#top.width) this.#close();
  }

  #close(): void {
    this.#open.pop();
    this.#inParagraph = false;
  }

  #startBlock(rest: Rest, isQuoted: boolean): void {
    const level = this.#top === this.root ? headingLevel(rest.text) : 0;
    const fence = /^(?:`{3,}(?=[^`]*$)|~{3,})/.exec(rest.text)?.[0];
    if (level > 0) this.#addHeading(rest, level);
    else if (fence !== undefined || rest.text.startsWith("<!--")) {
      const isLast =
        fence === undefined
          ? (line: string) => line.includes("-->")
          : (line: string) =>
              line.startsWith(fence) && line.trim() === fence.charAt(0).repeat(line.trim().length);
      this.#addText(rest);
      this.#inParagraph = false;
      if (fence !== undefined || !isLast(rest.text))
        this.#verbatim = { isQuoted, width: this.#top.width, isLast };
    } else if (isBreak(rest.text)) {
      this.#extend();
      this.#inParagraph = false;
    } else if (markerOf(rest.text) === undefined) this.#addText(rest);
    else this.#addItem(rest, isQuoted);
  }

  #addHeading({ text, offset }: Rest, level: number): void {
    const from = this.lines.length - 1;
    const skipped = level + (/^[ \t]*/.exec(text.slice(level))?.[0].length ?? 0);
    let end = text.trimEnd().length;
    let marks = end;
    while (marks > skipped && text[marks - 1] === "#") marks--;
    if (marks <= skipped || /[ \t]/.test(text.charAt(marks - 1))) end = Math.max(skipped, marks);
    const checkbox = checkboxAt(text, skipped, end);
    const head = [text.slice(checkbox?.end ?? skipped, end)];
    this.root.children.push({
      ...partOf("heading", from, 0),
      level,
      head,
      checkbox: inFile(checkbox, offset),
    });
    this.#inParagraph = false;
  }

  #addItem(rest: Rest, isQuoted: boolean): void {
    const marker = markerOf(rest.text) ?? "";
    if (this.#open.length > maxDepth) throw this.#refuse("depth");
    if (++this.#items > maxItems) throw this.#refuse("items");
    const content = restOf(
      rest.text.slice(marker.length),
      rest.offset + marker.length,
      rest.column + marker.length,
    );
    const gap = content.column - rest.column - marker.length;
    const width = rest.column + marker.length + (content.text === "" || gap > tabStop ? 1 : gap);
    const from = this.lines.length - 1;
    const isNested = markerOf(content.text) !== undefined && !isBreak(content.text);
    const isPlain = isNested || /^(?:`{3}|~{3}|<!--)/.test(content.text);
    const checkbox = isPlain ? undefined : checkboxAt(content.text, 0, content.text.length);
    const head = isPlain || content.text === "" ? [] : [content.text.slice(checkbox?.end ?? 0)];
    const item = { ...partOf("item", from, width), head, checkbox: inFile(checkbox, content.offset) };
    this.#top.children.push(item);
    this.#open.push(item);
    this.#extend();
    this.#inParagraph = head.length > 0;
    if (!checkbox && head.length > 0) this.#note(`- ${content.text}`, malformedBox(content.text));
    if (isPlain) this.#startBlock(content, isQuoted);
  }

  /** Adds a line of text to the first paragraph of the innermost item, or below it. */
  #addText({ text, column }: Rest): void {
    const { head, children } = this.#top;
    const isCode = !this.#inParagraph && column - this.#top.width >= tabStop;
    if (!isCode) this.#note(text, malformedItem(text));
    if (this.#inParagraph && children.length === 0 && head.length > 0) head.push(text);
    else if (children.at(-1)?.kind !== "text") children.push(partOf("text", this.lines.length - 1, 0));
    this.#inParagraph = !isCode;
    this.#extend();
  }

  /** Adds the line to the open items and to the text that is the last part of the innermost. */
  #extend(): void {
    const at = this.lines.length - 1;
    for (const part of this.#open) part.to = at;
    const last = this.#top.children.at(-1);
    if (last?.kind === "text") last.to = at;
  }

  #note(written: string, why: string | undefined): void {
    if (why !== undefined) this.malformed.push({ line: this.lines.length, written, why });
  }

  #refuse(what: "depth" | "items"): RalphError {
    const [why, hint] =
      what === "depth"
        ? ["nested too deep", `Use at most ${maxDepth} levels.`]
        : ["too many list items", `Split the file: the limit is ${maxItems}.`];
    return new RalphError("RALPH_IMPORT_INVALID", `${this.#path}:${this.lines.length + 1}: ${why}`, { hint });
  }
}

function partOf(kind: Part["kind"], from: number, width: number): Part {
  return { kind, from, to: from, level: 0, width, head: [], checkbox: undefined, children: [] };
}

/** Counts columns as Markdown does: a tab ends at the next multiple of four. */
function restOf(text: string, offset: number, before: number): Rest {
  let at = 0;
  let column = before;
  for (; text[at] === " " || text[at] === "\t"; at++)
    column += text[at] === "\t" ? tabStop - (column % tabStop) : 1;
  return { text: text.slice(at), offset: offset + at, column };
}

function headingLevel(text: string): number {
  return /^(#{1,6})(?:[ \t]|$)/.exec(text)?.[1]?.length ?? 0;
}

/** Returns true for `***`, `- - -`, `___`. */
function isBreak(text: string): boolean {
  return text.length <= maxBreakChars && /^([-*_])(?:[ \t]*\1){2,}[ \t]*$/.test(text);
}

/** Returns the marker of an item, such as `-` or `12.`. */
function markerOf(text: string): string | undefined {
  return /^(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/.exec(text)?.[0];
}

function inFile(checkbox: Checkbox | undefined, offset: number): Checkbox | undefined {
  return checkbox && { ...checkbox, box: checkbox.box + offset, end: checkbox.end + offset };
}
