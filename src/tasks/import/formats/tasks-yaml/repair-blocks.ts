/** A text whose misindented lines were moved back into their block scalars, and their places. */
export interface RepairedText {
  readonly text: string;
  /** First and last line of each place, from 1. */
  readonly places: readonly { readonly first: number; readonly last: number }[];
  /** Maps an offset in the repaired text to the original text. */
  originalOffset(offset: number): number;
}

interface Block {
  /** The column of the entry's keys. */
  readonly keys: number;
  /** The column of the block's text. */
  readonly content: number;
  /** Lines of the block that are not indented enough to be its text, from 0. */
  readonly misindented: number[];
}

/**
 * Indents misindented lines between a block scalar and the next key of the same entry like the block. Some tools that
 * append to a `tasks.yaml` paste several lines into a block (`description: |`) without indenting them, which is not
 * valid YAML. Returns undefined if there are no such lines.
 */
export function repairBlocks(text: string): RepairedText | undefined {
  const lines = text.split("\n");
  const blocks = findMisindented(lines);
  if (blocks.length === 0) return undefined;
  const added = new Map(blocks.flatMap(({ misindented, content }) => misindented.map((at) => [at, content])));
  const repaired = lines.map((line, at) => " ".repeat(added.get(at) ?? 0) + line);
  const places = blocks.map(({ misindented }) => ({
    first: (misindented[0] ?? 0) + 1,
    last: (misindented.at(-1) ?? 0) + 1,
  }));
  return { text: repaired.join("\n"), places, originalOffset: (offset) => original(repaired, added, offset) };
}

/** Returns the blocks with misindented lines that another key of the same entry follows. */
function findMisindented(lines: readonly string[]): readonly Block[] {
  const found: Block[] = [];
  let block: Block | undefined;
  for (const [at, line] of lines.entries()) {
    const key = keyOf(line);
    if (block && key?.column !== block.keys) {
      if (line.trim() !== "" && indentOf(line) < block.content) block.misindented.push(at);
      continue;
    }
    // Comments between two keys are not text.
    const isText = block?.misindented.some((index) => !/^\s*#/.test(lines[index] ?? ""));
    if (block && isText && !key?.beginsEntry) found.push(block);
    block = key && blockBelow(key, lines.slice(at + 1, at + 50));
  }
  return found;
}

function blockBelow(key: Key, below: readonly string[]): Block | undefined {
  const content = indentOf(below.find((line) => line.trim() !== "") ?? "");
  return key.opensBlock && content > key.column ? { keys: key.column, content, misindented: [] } : undefined;
}

interface Key {
  readonly column: number;
  readonly beginsEntry: boolean;
  readonly opensBlock: boolean;
}

function keyOf(line: string): Key | undefined {
  const match = /^( *)(- +)?[A-Za-z_][\w-]*:(?:\s|$)(\s*[|>][-+\d]*\s*(?:#.*)?$)?/.exec(line);
  if (!match) return undefined;
  const [, indentation = "", dash = "", header] = match;
  const column = indentation.length + dash.length;
  return { column, beginsEntry: dash !== "", opensBlock: header !== undefined };
}

function indentOf(line: string): number {
  return /^ */.exec(line)?.[0].length ?? 0;
}

function original(repaired: readonly string[], added: ReadonlyMap<number, number>, offset: number): number {
  let start = 0;
  let inserted = 0;
  for (const [at, line] of repaired.entries()) {
    if (start + line.length >= offset) break;
    inserted += added.get(at) ?? 0;
    start += line.length + 1;
  }
  return offset - inserted;
}
