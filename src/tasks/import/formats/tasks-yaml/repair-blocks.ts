/** A text in which lines that fell out of their block are back in it, and where. */
export interface RepairedText {
  readonly text: string;
  /** First and last line of each place, from 1. */
  readonly places: readonly { readonly first: number; readonly last: number }[];
  /** The offset in the text as it was of an offset in the mended one. */
  originalOffset(offset: number): number;
}

interface Block {
  /** The column of the entry's keys. */
  readonly keys: number;
  /** The column of the block's text. */
  readonly content: number;
  /** Lines since it began that are not indented enough to be its text. */
  readonly misindented: number[];
}

/**
 * Tools that append to a `tasks.yaml` have pasted text of several lines into a block (`description: |`) without
 * indenting it, which is no YAML. A person still sees what belongs where: such lines, between a block and the next
 * key of the same entry, are indented as the block is. Undefined when there are none.
 */
export function repairBlocks(text: string): RepairedText | undefined {
  const lines = text.split("\n");
  const strayed = findMisindented(lines);
  if (strayed.length === 0) return undefined;
  const added = new Map(
    strayed.flatMap(({ misindented: strays, content }) => strays.map((at) => [at, content])),
  );
  const mended = lines.map((line, at) => " ".repeat(added.get(at) ?? 0) + line);
  const places = strayed.map(({ misindented: strays }) => ({
    first: (strays[0] ?? 0) + 1,
    last: (strays.at(-1) ?? 0) + 1,
  }));
  return { text: mended.join("\n"), places, originalOffset: (offset) => original(mended, added, offset) };
}

/** The blocks that the next key of their entry says are not over, with lines that seem to end them. */
function findMisindented(lines: readonly string[]): readonly Block[] {
  const found: Block[] = [];
  let block: Block | undefined;
  for (const [at, line] of lines.entries()) {
    const key = keyOf(line);
    if (block && key?.column !== block.keys) {
      if (line.trim() !== "" && indentOf(line) < block.content) block.misindented.push(at);
      continue;
    }
    // Comments between two keys are no text.
    const isText = block?.misindented.some((stray) => !/^\s*#/.test(lines[stray] ?? ""));
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

function original(mended: readonly string[], added: ReadonlyMap<number, number>, offset: number): number {
  let start = 0;
  let inserted = 0;
  for (const [at, line] of mended.entries()) {
    if (start + line.length >= offset) break;
    inserted += added.get(at) ?? 0;
    start += line.length + 1;
  }
  return offset - inserted;
}
