/** A block of a Markdown document. Offsets are in UTF-16 units, from the first character to after the last one. */
export interface Block {
  kind: "document" | "quote" | "list" | "item" | "paragraph" | "heading" | "code" | "html" | "break";
  readonly start: number;
  end: number;
  /** The place where it starts, from 1. */
  readonly line: number;
  readonly column: number;
  /** Of a heading: 1 to 6. */
  level: number;
  /** Of a paragraph or heading: its text without markup. */
  textStart: number;
  textEnd: number;
  readonly children: Block[];
  /** Of a list: the marker of its items. */
  readonly marker: string;
}

export interface BlockLimits {
  /** Nesting of quotes and list items. */
  readonly maxDepth: number;
  readonly maxBlocks: number;
  /** Returns the error for a document that exceeds a limit. */
  refuse(line: number, what: "depth" | "blocks"): Error;
}
