import { RalphError } from "../../../../base/errors.ts";
import { cleanText } from "../../../../base/text.ts";
import type { SourceText } from "../../source/imported-task.ts";
import type { Block, BlockLimits } from "./block.ts";
import { type Checkbox, checkboxAt } from "./checkbox.ts";
import { findMalformed } from "./find-malformed.ts";
import { readBlocks } from "./read-blocks.ts";
import { splitTitle } from "./split-title.ts";

/** A task: an item or heading with a checkbox; or a group: a heading or plain bullet that contains tasks. */
export interface OutlineEntry {
  readonly isHeading: boolean;
  /** As written, on one line, a leading number included. */
  readonly text: string;
  readonly line: number;
  description: string;
  /** Offsets in the file; undefined for a group. */
  readonly checkbox: Checkbox | undefined;
  readonly children: OutlineEntry[];
}

/** The entries of a document, with warnings about what resembles a checkbox and is not imported. */
export interface Outline {
  readonly entries: readonly OutlineEntry[];
  readonly warnings: readonly string[];
}

/** Nesting of lists and quotes; people rarely exceed five levels. */
const maxDepth = 100;
/** Signals wait while a list is read: half a second for so many blocks or characters (TRUST-12). A task has two or three blocks. */
const maxBlocks = 100_000;
const maxChars = 2 * 1024 * 1024;

/**
 * Returns the tasks and groups in the file's order, without the document's title (its first heading, if that is the only
 * one of level 1 and has no checkbox). Linear time. Throws RALPH_IMPORT_INVALID beyond `maxDepth` or `maxBlocks`, and
 * RALPH_FILE_TOO_LARGE.
 */
export function readOutline({ text, path }: SourceText): Outline {
  if (text.length > maxChars) {
    const message = `cannot read ${path}: it has ${text.length} characters; the limit is ${maxChars}`;
    throw new RalphError("RALPH_FILE_TOO_LARGE", message, { hint: "Split the file." });
  }
  // A byte order mark is not part of the first line.
  const shift = text.startsWith("\uFEFF") ? 1 : 0;
  const body = text.slice(shift);
  const root = readBlocks(body, limitsFor(path));
  const boxes = new Map<Block, Checkbox>();
  const holders = new Set<Block>();
  findTasks(body, root, { boxes, holders });
  const entries = prune(readSections({ text: body, shift, boxes, holders }, root));
  const warnings = findMalformed(body, root, boxes).map(({ line, why }) => `${path}:${line}: ${why}`);
  return { entries, warnings };
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
  /** The checkboxes of items and headings. */
  readonly boxes: Map<Block, Checkbox>;
  /** The blocks with a checkbox and all blocks that contain one. */
  readonly holders: Set<Block>;
}

interface Document extends Tasks {
  /** The text that the blocks' offsets refer to. */
  readonly text: string;
  /** The difference to offsets in the file. */
  readonly shift: number;
}

/** Collects the checkboxes of `block`. Returns true if it has or contains one. */
function findTasks(text: string, block: Block, tasks: Tasks): boolean {
  const head = headOf(block);
  const box = head && checkboxAt(text, head.textStart, head.textEnd);
  if (box) tasks.boxes.set(block, box);
  let holds = box !== undefined;
  for (const child of block.children) holds = findTasks(text, child, tasks) || holds;
  if (holds) tasks.holders.add(block);
  return holds;
}

/** Returns the block with the text of an item or heading; undefined for an item that begins with something else. */
function headOf(block: Block): Block | undefined {
  if (block.kind === "heading") return block;
  const [head] = block.children;
  return block.kind === "item" && head?.kind === "paragraph" && head.line === block.line ? head : undefined;
}

function readSections(document: Document, root: Block): readonly OutlineEntry[] {
  const top: OutlineEntry = { ...emptyEntry, children: [] };
  const title = titleOf(document, root);
  const open: { readonly level: number; readonly entry: OutlineEntry }[] = [{ level: 0, entry: top }];
  for (const block of root.children) {
    if (block === title) continue;
    if (block.kind !== "heading") {
      readBlock(document, block, open.at(-1)?.entry ?? top);
      continue;
    }
    while ((open.at(-1)?.level ?? 0) >= block.level) open.pop();
    const parent = open.at(-1)?.entry ?? top;
    const entry: OutlineEntry = {
      ...entryOf(document, block, document.boxes.get(block)),
      isHeading: true,
    };
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
    readItem(document, block, head, owner);
  } else {
    for (const child of block.children) readBlock(document, child, owner);
  }
}

function readItem(document: Document, item: Block, head: Block, owner: OutlineEntry): void {
  const entry = entryOf(document, head, document.boxes.get(item));
  owner.children.push(entry);
  for (const child of item.children.slice(1)) readBlock(document, child, entry);
}

/** Returns the entry of a heading or of an item's first paragraph. */
function entryOf({ text, shift }: Document, block: Block, box: Checkbox | undefined): OutlineEntry {
  const { title, rest } = splitTitle(text.slice(box?.end ?? block.textStart, block.textEnd));
  const checkbox = box && { ...box, box: box.box + shift, end: box.end + shift };
  return { ...emptyEntry, text: title, description: rest, line: block.line, checkbox, children: [] };
}

/** Returns a block as written, without its own indentation. */
function raw({ text }: Document, { start, end, column }: Block): string {
  const written = cleanText(text.slice(start, end).replace(/\r\n/g, "\n"));
  const indentation = column - 1;
  return indentation === 0 ? written : written.replace(new RegExp(`\\n[ \\t]{1,${indentation}}`, "g"), "\n");
}

const emptyEntry = {
  isHeading: false,
  text: "",
  line: 1,
  description: "",
  checkbox: undefined,
} as const;

function titleOf({ boxes }: Document, root: Block): Block | undefined {
  const headings = root.children.filter(({ kind }) => kind === "heading");
  const [first, second] = headings.filter(({ level }) => level === 1);
  return first && !second && first === headings[0] && !boxes.has(first) ? first : undefined;
}

/** Removes the groups without tasks. */
function prune(entries: readonly OutlineEntry[]): OutlineEntry[] {
  return entries
    .map((entry) => ({ ...entry, children: prune(entry.children) }))
    .filter(({ checkbox, children }) => checkbox || children.length > 0);
}
