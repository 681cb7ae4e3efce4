import { RalphError } from "../../../../base/errors.ts";
import { cleanText, oneLine } from "../../../../base/text.ts";
import type { SourceText } from "../../imported-task.ts";
import type { Block, BlockLimits } from "./block.ts";
import { readBlocks } from "./read-blocks.ts";

/** A checklist item, or a heading or plain bullet that contains one. */
export interface OutlineEntry {
  readonly kind: "heading" | "item";
  /** As written, on one line, a leading number included. */
  readonly text: string;
  readonly line: number;
  description: string;
  readonly ticked: boolean;
  /** Offset of the character between the brackets; undefined without a checkbox. */
  readonly box: number | undefined;
  readonly children: OutlineEntry[];
}

/** Nesting of lists and quotes; people rarely exceed five levels. */
const maxDepth = 100;
/** 10 MB of `-` lines would exceed the memory. */
const maxBlocks = 500_000;

/**
 * Returns the entries that are or contain checklist items, in the file's order, without the document's title (its first
 * heading, if that is the only one of level 1). Linear time. Throws RALPH_IMPORT_INVALID beyond `maxDepth` or `maxBlocks`.
 */
export function readOutline({ text, path }: SourceText): readonly OutlineEntry[] {
  // A byte order mark is not part of the first line.
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
        ? ["nested too deep", `Use at most ${maxDepth} levels.`]
        : ["too many list items and paragraphs", `Split the file: the limit is ${maxBlocks}.`];
    return new RalphError("RALPH_IMPORT_INVALID", `${path}:${line}: ${why}`, { hint });
  };
  return { maxDepth, maxBlocks, refuse };
}

interface Tasks {
  /** The offset of the character between the brackets of each checklist item. */
  readonly boxes: Map<Block, number>;
  /** The checklist items and all blocks that contain one. */
  readonly holders: Set<Block>;
}

interface Document extends Tasks {
  /** The text that the blocks' offsets refer to. */
  readonly text: string;
  /** The difference to offsets in the file. */
  readonly shift: number;
}

/** Collects the checklist items of `block`. Returns true if it is or contains one. */
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
  // Text must follow the checkbox.
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

/** Reads a block of an entry's section or item: tasks become children, other text its description. */
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

/** Returns the text and line of a heading or paragraph, without its markup. */
function inline({ text }: Document, block: Block, box?: number): Pick<OutlineEntry, "text" | "line"> {
  const start = box === undefined ? block.textStart : box + 2;
  // Continuation lines within a quote begin with its marker.
  const written = text.slice(start, block.textEnd).replace(/\n[ \t>]+/g, " ");
  return { text: oneLine(cleanText(written)), line: block.line };
}

/** Returns a block as written, without its own indentation. */
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

/** Removes the headings that contain no item. */
function prune(entries: readonly OutlineEntry[]): OutlineEntry[] {
  return entries
    .map((entry) => ({ ...entry, children: prune(entry.children) }))
    .filter(({ kind, children }) => kind === "item" || children.length > 0);
}
