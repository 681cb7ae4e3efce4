import { clip, oneLine } from "../../../../base/text.ts";
import type { Block } from "./block.ts";
import { malformedBox, malformedItem } from "./checkbox.ts";

interface Malformed {
  readonly line: number;
  /** One sentence with the text as written. */
  readonly why: string;
}

const maxShownChars = 60;

/** Finds what resembles a checkbox outside code and is not one: each would otherwise disappear from the list unnoticed. */
export function findMalformed(
  text: string,
  root: Block,
  boxes: ReadonlyMap<Block, unknown>,
): readonly Malformed[] {
  const found: Malformed[] = [];
  const add = (line: number, written: string, why: string | undefined): void => {
    if (why === undefined) return;
    const shown = clip(oneLine(written), maxShownChars);
    found.push({ line, why: `not imported: ${JSON.stringify(shown)}: ${why}` });
  };
  const read = (paragraph: Block, item: Block | undefined): void => {
    const lines = text.slice(paragraph.textStart, paragraph.textEnd).split(/\r\n|\r|\n/);
    const isHead = item?.children[0] === paragraph && item.line === paragraph.line;
    for (const [at, written] of lines.entries()) {
      const line = written.replace(/^[ \t>]+/, "");
      if (at > 0 || !isHead) add(paragraph.line + at, line, malformedItem(line));
      else if (!boxes.has(item)) add(paragraph.line, `- ${line}`, malformedBox(line));
    }
  };
  const walk = (block: Block, item: Block | undefined): void => {
    if (block.kind === "paragraph") read(block, item);
    for (const child of block.children) walk(child, block.kind === "item" ? block : undefined);
  };
  walk(root, undefined);
  return found;
}
