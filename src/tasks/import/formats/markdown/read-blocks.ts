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

/** An open quote or item; the outermost is the document. */
interface Container {
  readonly block: Block;
  /** Of an item: the column of its content, from the column at which its marker's indentation begins. */
  readonly width: number;
  readonly list?: Block;
}

interface Paragraph {
  readonly kind: "paragraph";
  readonly block: Block;
  /** True while every line is a link definition. */
  isDefinitions: boolean;
}

/** The kind of block that begins at a place of a line: a quote or item, a block that takes the whole line, or text. */
type Started = "container" | "leaf" | "text";

/** The innermost open block that accepts lines. */
type Leaf =
  | Paragraph
  | { readonly kind: "indented"; readonly block: Block }
  | { readonly kind: "fenced"; readonly block: Block; readonly fence: Fence }
  | { readonly kind: "html"; readonly block: Block; readonly until: HtmlEnd };

/**
 * Reads the block structure of Markdown as defined by CommonMark 0.31 (spec.commonmark.org/0.31.2), without link
 * definitions and inline markup: emphasis and links do not matter for a list, and parsing them is quadratic in the length
 * of a line. Time is linear in the text, times `maxDepth`.
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
    // A continuation line of a paragraph need not repeat the markers of its containers.
    if (this.#leaf?.kind === "paragraph") this.#extend(this.#leaf);
    else this.#addParagraph(keep);
  }

  /** Skips the markers of the open containers. Returns how many of them this line continues. */
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

  /** Adds the line to the leaf. Returns true if nothing else can begin in the line. */
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

  /** Opens the block that begins here, in the innermost of the `keep` continued containers. */
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
    // An item outside the paragraph's container does not have to interrupt the paragraph.
    const marker = markerAt(cursor, isText && keep === this.#open.length);
    if (!marker) return "text";
    this.#close(keep);
    this.#openItem(marker);
    return "container";
  }

  /** Opens a heading, a fence, a thematic break or HTML. Returns false if none begins here. */
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

  /** Closes the leaf and all containers except the outer `keep`. */
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

/** A link definition is not text, and a line under it does not make it a heading. */
function isDefinition(line: string): boolean {
  return /^\[[^\]]{1,999}\]:[ \t]*\S/.test(line);
}
