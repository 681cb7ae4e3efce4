import type { Block, BlockLimits } from "./block.ts";
import {
  closesFence,
  type Fence,
  fenceAt,
  type HtmlEnd,
  headingAt,
  htmlAt,
  isThematicBreak,
  type Marker,
  markerAt,
  underlineLevel,
} from "./leaf-starts.ts";
import { LineCursor } from "./line-cursor.ts";

/** An open quote or item; the document is the outermost. */
interface Container {
  readonly block: Block;
  /** Of an item: the column of its content, from the column at which its marker's indentation begins. */
  readonly width: number;
  readonly list?: Block;
}

interface Paragraph {
  readonly kind: "paragraph";
  readonly block: Block;
  /** Each line so far is a link definition. */
  isDefinitions: boolean;
}

/** What begins at a place of a line: a quote or item, a block that takes the whole line, or nothing but text. */
type Started = "container" | "leaf" | "text";

/** The innermost open block that takes lines. */
type Leaf =
  | Paragraph
  | { readonly kind: "indented"; readonly block: Block }
  | { readonly kind: "fenced"; readonly block: Block; readonly fence: Fence }
  | { readonly kind: "html"; readonly block: Block; readonly until: HtmlEnd };

/**
 * Reads the block structure of Markdown as CommonMark 0.31 defines it (spec.commonmark.org/0.31.2), without link
 * definitions and without looking into paragraphs: what emphasis and links mean does not matter to a list, and to
 * find out takes the square of a line's length. Takes time linear in the text, times `maxDepth`.
 */
export function readBlocks(text: string, limits: BlockLimits): Block {
  const reader = new BlockReader(text, limits);
  return reader.read();
}

class BlockReader {
  readonly #cursor: LineCursor;
  readonly #limits: BlockLimits;
  readonly #document: Block;
  readonly #open: Container[];
  #leaf: Leaf | undefined;
  #blocks = 0;

  constructor(text: string, limits: BlockLimits) {
    this.#cursor = new LineCursor(text);
    this.#limits = limits;
    this.#document = this.#block("document", 0);
    this.#open = [{ block: this.#document, width: 0 }];
  }

  read(): Block {
    while (this.#cursor.nextLine()) this.#readLine();
    this.#close(0);
    return this.#document;
  }

  #readLine(): void {
    const matched = this.#continueContainers();
    const all = matched === this.#open.length;
    if (all && this.#leaf && this.#continueLeaf(this.#leaf)) return;
    let keep = matched;
    let started: Started = "container";
    while (started === "container") {
      started = this.#cursor.blank ? this.#endAt(keep) : this.#startBlock(keep);
      if (started === "container") keep = this.#open.length;
    }
    if (started === "leaf") return;
    // A line that goes on with a paragraph need not repeat what the paragraph stands in.
    if (this.#leaf?.kind === "paragraph") this.#extend(this.#leaf);
    else this.#addParagraph(keep);
  }

  /** Skips what marks the open containers. Returns how many of them this line belongs to. */
  #continueContainers(): number {
    let at = 1;
    while (at < this.#open.length && this.#continues(this.#open[at] as Container)) at++;
    return at;
  }

  #continues({ block, width }: Container): boolean {
    const cursor = this.#cursor;
    if (block.kind === "quote") {
      if (cursor.indent >= 4 || cursor.text[cursor.next] !== ">") return false;
      this.#skipQuoteMark();
    } else if (cursor.blank) {
      if (block.children.length === 0) return false;
      cursor.skipIndent();
    } else {
      if (cursor.indent < width) return false;
      cursor.skip(width);
    }
    return true;
  }

  /** Whether the line is part of the leaf and has nothing else in it. */
  #continueLeaf(leaf: Leaf): boolean {
    const { blank, indent, end } = this.#cursor;
    if (leaf.kind === "paragraph") return this.#continueParagraph(leaf);
    if (leaf.kind === "indented" && blank) return true;
    const ends =
      leaf.kind === "indented" ? indent < 4 : leaf.kind === "html" && blank && leaf.until === "blank line";
    if (ends) {
      this.#leaf = undefined;
      return false;
    }
    leaf.block.end = end;
    if (leaf.kind === "fenced" && closesFence(this.#cursor, leaf.fence)) this.#leaf = undefined;
    if (leaf.kind === "html") this.#endHtml(leaf.until);
    return true;
  }

  #continueParagraph({ block, isDefinitions }: Paragraph): boolean {
    const { blank, indent, end } = this.#cursor;
    if (blank) this.#leaf = undefined;
    const level = blank || indent >= 4 || isDefinitions ? 0 : underlineLevel(this.#cursor);
    if (level === 0) return blank;
    Object.assign(block, { kind: "heading", level, end });
    this.#leaf = undefined;
    return true;
  }

  #endHtml(until: HtmlEnd): void {
    const { text, offset, end } = this.#cursor;
    if (until !== "blank line" && until.test(text.slice(offset, end))) this.#leaf = undefined;
  }

  #endAt(keep: number): "leaf" {
    this.#close(keep);
    return "leaf";
  }

  /** Opens the block that begins here, in the innermost of the `keep` containers that go on. */
  #startBlock(keep: number): Started {
    const cursor = this.#cursor;
    const isText = this.#leaf?.kind === "paragraph";
    if (cursor.indent >= 4) {
      if (isText) return "text";
      this.#close(keep);
      this.#leaf = { kind: "indented", block: this.#add("code", cursor.offset) };
      return "leaf";
    }
    if (cursor.text[cursor.next] === ">") {
      this.#close(keep);
      this.#openQuote();
      return "container";
    }
    if (this.#startLeaf(keep)) return "leaf";
    // What stands outside of the paragraph's container does not interrupt it.
    const marker = markerAt(cursor, isText && keep === this.#open.length);
    if (!marker) return "text";
    this.#close(keep);
    this.#openItem(marker);
    return "container";
  }

  /** A heading, a fence, a thematic break or HTML. */
  #startLeaf(keep: number): boolean {
    const cursor = this.#cursor;
    const heading = headingAt(cursor);
    const fence = heading ? undefined : fenceAt(cursor);
    const until = heading || fence ? undefined : htmlAt(cursor, this.#leaf?.kind === "paragraph");
    if (heading) {
      this.#close(keep);
      const block = this.#add("heading", cursor.next);
      block.level = heading.level;
      block.textStart = heading.from;
      block.textEnd = heading.to;
    } else if (fence) {
      this.#close(keep);
      this.#leaf = { kind: "fenced", fence, block: this.#add("code", cursor.next) };
    } else if (until) {
      this.#close(keep);
      this.#leaf = { kind: "html", until, block: this.#add("html", cursor.next) };
      this.#endHtml(until);
    } else if (isThematicBreak(cursor)) {
      this.#close(keep);
      this.#add("break", cursor.next);
    } else return false;
    return true;
  }

  #openQuote(): void {
    const cursor = this.#cursor;
    const block = this.#add("quote", cursor.next);
    block.end = cursor.next + 1;
    this.#skipQuoteMark();
    this.#push({ block, width: 0 });
  }

  #skipQuoteMark(): void {
    const cursor = this.#cursor;
    cursor.skipIndent();
    cursor.skip(1);
    if (cursor.isSpace(cursor.offset)) cursor.skip(1);
  }

  #openItem({ kind, length }: Marker): void {
    const cursor = this.#cursor;
    const parent = this.#innermost();
    const last = parent.children.at(-1);
    const list = last?.kind === "list" && last.marker === kind ? last : this.#add("list", cursor.next, kind);
    const block = this.#block("item", cursor.next);
    block.end = cursor.next + length;
    list.children.push(block);
    const markerIndent = cursor.indent;
    cursor.skipIndent();
    cursor.skip(length);
    // One column belongs to the marker; five or more begin indented code after it.
    const spaces = cursor.blank || cursor.indent > 4 ? 1 : cursor.indent;
    cursor.skip(spaces);
    this.#push({ block, list, width: markerIndent + length + spaces });
  }

  #push(container: Container): void {
    if (this.#open.length > this.#limits.maxDepth) throw this.#limits.refuse(this.#cursor.line, "depth");
    this.#open.push(container);
  }

  /** Closes all containers but the outer `keep`, and the leaf. */
  #close(keep: number): void {
    this.#leaf = undefined;
    while (this.#open.length > Math.max(keep, 1)) {
      const { block, list } = this.#open.pop() as Container;
      block.end = Math.max(block.end, block.children.at(-1)?.end ?? 0);
      if (list) list.end = block.end;
    }
  }

  #innermost(): Block {
    return this.#open.at(-1)?.block ?? this.#document;
  }

  #addParagraph(keep: number): void {
    this.#close(keep);
    const leaf: Paragraph = {
      kind: "paragraph",
      block: this.#add("paragraph", this.#cursor.next),
      isDefinitions: true,
    };
    this.#leaf = leaf;
    this.#extend(leaf);
  }

  #extend(leaf: Paragraph): void {
    const { text, next, end } = this.#cursor;
    let textEnd = end;
    while (this.#cursor.isSpace(textEnd - 1)) textEnd--;
    leaf.block.end = end;
    leaf.block.textEnd = textEnd;
    leaf.isDefinitions &&= isDefinition(text.slice(next, textEnd));
  }

  #add(kind: Block["kind"], start: number, marker = ""): Block {
    const block = this.#block(kind, start, marker);
    this.#innermost().children.push(block);
    return block;
  }

  #block(kind: Block["kind"], start: number, marker = ""): Block {
    const { line, end, start: lineStart } = this.#cursor;
    if (++this.#blocks > this.#limits.maxBlocks) throw this.#limits.refuse(line, "blocks");
    return {
      kind,
      start,
      end,
      line,
      column: start - lineStart + 1,
      level: 0,
      textStart: start,
      textEnd: start,
      children: [],
      marker,
    };
  }
}

/** A link definition is no text, and no line under it makes a heading of it. */
function isDefinition(line: string): boolean {
  return /^\[[^\]]{1,999}\]:[ \t]*\S/.test(line);
}
