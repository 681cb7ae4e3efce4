import { RalphError } from "../../../../base/errors.ts";
import { cleanText, oneLine } from "../../../../base/text.ts";
import type { SourceText } from "../../imported-task.ts";
import type { Block, BlockLimits } from "../../markdown/block.ts";
import { readBlocks } from "../../markdown/read-blocks.ts";

/** A checklist item, or a heading or plain bullet that holds some. */
export interface OutlineEntry {
  readonly kind: "heading" | "item";
  /** As written, on one line, a leading number included. */
  readonly text: string;
  readonly line: number;
  description: string;
  readonly ticked: boolean;
  /** Offset of the character between the brackets; undefined: it has no box. */
  readonly box: number | undefined;
  readonly children: OutlineEntry[];
}

/** Lists and quotes within each other; people stop at five. */
const maxDepth = 100;
/** What 10 MB of `-` lines would make is more than fits in memory. */
const maxBlocks = 500_000;

/**
 * The entries that hold or are checklist items, in the file's order. A document's title (its first heading, when no
 * other is of the top level) is none. Takes time linear in the text. Errors: RALPH_IMPORT_INVALID for more levels or
 * blocks than any list has.
 */
export function readOutline({ text, path }: SourceText): readonly OutlineEntry[] {
  // A byte order mark belongs to no line.
  const shift = text.startsWith("\uFEFF") ? 1 : 0;
  const body = text.slice(shift);
  const root = readBlocks(body, limitsFor(path));
  const boxes = new Map<Block, number>();
  const holders = new Set<Block>();
  findTasks(body, root, { boxes, holders });
  return prune(readSections({ text: body, shift, boxes, holders }, root));
}

function limitsFor(path: string): BlockLimits {
  const refuse = (line: number, what: "depth" | "blocks"): RalphError => {
    const [why, hint] =
      what === "depth"
        ? ["nested too deep", `At most ${maxDepth} levels are read.`]
        : ["too many list items and paragraphs", `At most ${maxBlocks} are read. Split the file.`];
    return new RalphError("RALPH_IMPORT_INVALID", `${path}:${line}: ${why}`, { hint });
  };
  return { maxDepth, maxBlocks, refuse };
}

interface Tasks {
  /** Of each checklist item the offset of the character between its brackets. */
  readonly boxes: Map<Block, number>;
  /** The checklist items and all blocks that hold one. */
  readonly holders: Set<Block>;
}

interface Document extends Tasks {
  /** What the blocks' offsets count in. */
  readonly text: string;
  /** What they lack to be offsets in the file. */
  readonly shift: number;
}

/** Whether `block` is or holds a checklist item. */
function findTasks(text: string, block: Block, tasks: Tasks): boolean {
  const box = boxOf(text, block);
  if (box !== undefined) tasks.boxes.set(block, box);
  let holds = box !== undefined;
  for (const child of block.children) holds = findTasks(text, child, tasks) || holds;
  if (holds) tasks.holders.add(block);
  return holds;
}

function boxOf(text: string, { kind, line, children: [head] }: Block): number | undefined {
  if (kind !== "item" || head?.kind !== "paragraph" || head.line !== line) return undefined;
  const { textStart, textEnd } = head;
  // Something must follow it.
  const isBox = textEnd > textStart + 3 && /^\[[ \txX]\]\s/.test(text.slice(textStart, textStart + 4));
  return isBox ? textStart + 1 : undefined;
}

function readSections(document: Document, root: Block): readonly OutlineEntry[] {
  const top: OutlineEntry = { ...emptyEntry, children: [] };
  const title = titleOf(root);
  const open: { readonly level: number; readonly entry: OutlineEntry }[] = [{ level: 0, entry: top }];
  for (const block of root.children) {
    if (block === title) continue;
    if (block.kind !== "heading") {
      readBlock(document, block, open.at(-1)?.entry ?? top);
      continue;
    }
    while ((open.at(-1)?.level ?? 0) >= block.level) open.pop();
    const parent = open.at(-1)?.entry ?? top;
    const entry: OutlineEntry = { ...emptyEntry, ...inline(document, block), children: [] };
    if (entry.text !== "") parent.children.push(entry);
    open.push({ level: block.level, entry: entry.text === "" ? parent : entry });
  }
  return top.children;
}

/** What stands in an entry's section or item: tasks become its children, all else its description. */
function readBlock(document: Document, block: Block, owner: OutlineEntry): void {
  const [head] = block.children;
  if (!document.holders.has(block)) {
    const text = raw(document, block);
    owner.description += owner.description === "" ? text : `\n\n${text}`;
  } else if (block.kind === "item" && head?.kind === "paragraph") {
    readItem(document, { item: block, head }, owner);
  } else {
    for (const child of block.children) readBlock(document, child, owner);
  }
}

interface Item {
  readonly item: Block;
  readonly head: Block;
}

function readItem(document: Document, { item, head }: Item, owner: OutlineEntry): void {
  const box = document.boxes.get(item);
  const entry: OutlineEntry = {
    ...emptyEntry,
    ...inline(document, head, box),
    kind: box === undefined ? "heading" : "item",
    ticked: box !== undefined && /x/i.test(document.text[box] ?? ""),
    box: box === undefined ? undefined : box + document.shift,
    children: [],
  };
  owner.children.push(entry);
  for (const child of item.children.slice(1)) readBlock(document, child, entry);
}

/** The text of a heading or paragraph as it is written, without what marks it. */
function inline({ text }: Document, block: Block, box?: number): Pick<OutlineEntry, "text" | "line"> {
  const start = box === undefined ? block.textStart : box + 2;
  // Lines that go on within a quote begin with its mark.
  const written = text.slice(start, block.textEnd).replace(/\n[ \t>]+/g, " ");
  return { text: oneLine(cleanText(written)), line: block.line };
}

/** A block as written, its own indentation taken from each line. */
function raw({ text }: Document, { start, end, column }: Block): string {
  const written = cleanText(text.slice(start, end).replace(/\r\n/g, "\n"));
  const indentation = column - 1;
  return indentation === 0 ? written : written.replace(new RegExp(`\\n[ \\t]{1,${indentation}}`, "g"), "\n");
}

const emptyEntry = {
  kind: "heading",
  text: "",
  line: 1,
  description: "",
  ticked: false,
  box: undefined,
} as const;

function titleOf(root: Block): Block | undefined {
  const headings = root.children.filter(({ kind }) => kind === "heading");
  const tops = headings.filter(({ level }) => level === 1);
  return tops.length === 1 && tops[0] === headings[0] ? tops[0] : undefined;
}

/** Without the headings that hold no item. */
function prune(entries: readonly OutlineEntry[]): OutlineEntry[] {
  return entries
    .map((entry) => ({ ...entry, children: prune(entry.children) }))
    .filter(({ kind, children }) => kind === "item" || children.length > 0);
}
