/** A block of a Markdown document. Offsets are in UTF-16 units, from the first character to after the last one. */
export interface Block {
  kind: "document" | "quote" | "list" | "item" | "paragraph" | "heading" | "code" | "html" | "break";
  readonly start: number;
  end: number;
  /** Where it starts, from 1. */
  readonly line: number;
  readonly column: number;
  /** Of a heading: 1 to 6. */
  level: number;
  /** Of a paragraph or heading: its text without what marks it. */
  textStart: number;
  textEnd: number;
  readonly children: Block[];
  /** Of a list: what its items are marked with. */
  readonly marker: string;
}

export interface BlockLimits {
  /** Quotes and list items within each other. */
  readonly maxDepth: number;
  readonly maxBlocks: number;
  /** Makes the error for a document beyond them. */
  refuse(line: number, what: "depth" | "blocks"): Error;
}
