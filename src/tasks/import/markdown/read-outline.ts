import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item";
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item";
import { RalphError } from "../../../base/errors.ts";
import { cleanText, oneLine } from "../../../base/text.ts";
import type { SourceText } from "../../imported-task.ts";

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

type Root = ReturnType<typeof fromMarkdown>;
type Nodes = Root | Root["children"][number];
type Of<T extends Nodes["type"]> = Extract<Nodes, { type: T }>;

/** Lists and quotes within each other; people stop at five. */
const maxDepth = 100;

/**
 * The entries that hold or are checklist items, in the file's order. A document's title (its first heading, when no
 * other is of the top level) is none. Errors: RALPH_IMPORT_INVALID for nesting beyond all measure.
 */
export function readOutline({ text, path }: SourceText): readonly OutlineEntry[] {
  // The parser drops a byte order mark without counting it.
  const shift = text.startsWith("\uFEFF") ? 1 : 0;
  const body = text.slice(shift);
  refuseDepth(body, path);
  const root = fromMarkdown(body, {
    extensions: [gfmTaskListItem()],
    mdastExtensions: [gfmTaskListItemFromMarkdown()],
  });
  const document = { text: body, shift, holders: holdersOf(root, path) };
  return prune(readSections(document, root));
}

const marker = "(?:[-*+]|\\d{1,9}[.)])(?=[ \\t])";
/** Containers opened on one line, or lists as deep as their indentation tells (two columns a level at least). */
const deepLine = new RegExp(
  `^(?:(?:[ \\t]*(?:>|${marker})){${maxDepth + 1}}|[ \\t]{${4 * maxDepth},}${marker})`,
  "m",
);

/** The parser takes more than its square of time for deep nesting. */
function refuseDepth(text: string, path: string): void {
  const deep = deepLine.exec(text);
  if (deep) throw tooDeep(path, text.slice(0, deep.index).split("\n").length);
}

function tooDeep(path: string, line: number): RalphError {
  return new RalphError("RALPH_IMPORT_INVALID", `${path}:${line}: nested too deep`, {
    hint: `At most ${maxDepth} levels are read.`,
  });
}

interface Document {
  /** What the parser's offsets count in. */
  readonly text: string;
  /** What they lack to be offsets in the file. */
  readonly shift: number;
  /** The checklist items and all nodes that hold one. */
  readonly holders: ReadonlySet<Nodes>;
}

function readSections(document: Document, root: Root): readonly OutlineEntry[] {
  const top: OutlineEntry = { ...emptyEntry, children: [] };
  const title = titleOf(root);
  const open: { readonly level: number; readonly entry: OutlineEntry }[] = [{ level: 0, entry: top }];
  for (const node of root.children) {
    if (node === title) continue;
    if (node.type !== "heading") {
      readBlock(document, node, open.at(-1)?.entry ?? top);
      continue;
    }
    while ((open.at(-1)?.level ?? 0) >= node.depth) open.pop();
    const parent = open.at(-1)?.entry ?? top;
    const entry: OutlineEntry = { ...emptyEntry, ...inline(document, node), children: [] };
    if (entry.text !== "") parent.children.push(entry);
    open.push({ level: node.depth, entry: entry.text === "" ? parent : entry });
  }
  return top.children;
}

/** What stands in an entry's section or item: tasks become its children, all else its description. */
function readBlock(document: Document, node: Nodes, owner: OutlineEntry): void {
  if (!document.holders.has(node)) {
    const text = raw(document, node);
    owner.description += owner.description === "" ? text : `\n\n${text}`;
  } else if (node.type === "listItem" && node.children[0]?.type === "paragraph") {
    readItem(document, { item: node, head: node.children[0] }, owner);
  } else if ("children" in node) {
    for (const child of node.children) readBlock(document, child, owner);
  }
}

interface Item {
  readonly item: Of<"listItem">;
  readonly head: Of<"paragraph">;
}

function readItem(document: Document, { item, head }: Item, owner: OutlineEntry): void {
  const entry: OutlineEntry = {
    ...emptyEntry,
    ...inline(document, head),
    kind: isTask(item) ? "item" : "heading",
    ticked: item.checked === true,
    box: isTask(item) ? boxOf(document, { item, head }) : undefined,
    children: [],
  };
  owner.children.push(entry);
  for (const child of item.children.slice(1)) readBlock(document, child, entry);
}

function boxOf({ text, shift }: Document, { item, head }: Item): number | undefined {
  const start = item.position?.start.offset ?? 0;
  const box = /\[[ \txX]\]/.exec(text.slice(start, head.position?.start.offset));
  return box ? start + box.index + 1 + shift : undefined;
}

/** The text of a heading or paragraph as it is written, without what marks it. */
function inline(
  { text }: Document,
  node: Of<"heading"> | Of<"paragraph">,
): Pick<OutlineEntry, "text" | "line"> {
  const start = node.children[0]?.position?.start.offset ?? 0;
  const end = node.children.at(-1)?.position?.end.offset ?? 0;
  // Lines that go on within a quote begin with its mark.
  const written = text.slice(start, end).replace(/\n[ \t>]+/g, " ");
  return { text: oneLine(cleanText(written)), line: node.position?.start.line ?? 1 };
}

/** A block as written, its own indentation taken from each line. */
function raw({ text }: Document, node: Nodes): string {
  const { start, end } = node.position ?? {};
  const written = cleanText(text.slice(start?.offset ?? 0, end?.offset).replace(/\r\n/g, "\n"));
  const indentation = (start?.column ?? 1) - 1;
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

function holdersOf(root: Root, path: string): ReadonlySet<Nodes> {
  const holders = new Set<Nodes>();
  const waiting: (readonly Nodes[])[] = [[root]];
  for (let trail = waiting.pop(); trail; trail = waiting.pop()) {
    const node = trail.at(-1) ?? root;
    if (trail.length > 2 * maxDepth) throw tooDeep(path, node.position?.start.line ?? 1);
    if (isTask(node)) for (const holder of trail) holders.add(holder);
    for (const child of blocksIn(node)) waiting.push([...trail, child]);
  }
  return holders;
}

function isTask(node: Nodes): boolean {
  return node.type === "listItem" && typeof node.checked === "boolean";
}

function blocksIn(node: Nodes): readonly Nodes[] {
  const container = ["root", "list", "listItem", "blockquote"].includes(node.type);
  return container && "children" in node ? node.children : [];
}

function titleOf(root: Root): Nodes | undefined {
  const headings = root.children.filter((node) => node.type === "heading");
  const tops = headings.filter((heading) => heading.depth === 1);
  return tops.length === 1 && tops[0] === headings[0] ? tops[0] : undefined;
}

/** Without the headings that hold no item. */
function prune(entries: readonly OutlineEntry[]): OutlineEntry[] {
  return entries
    .map((entry) => ({ ...entry, children: prune(entry.children) }))
    .filter(({ kind, children }) => kind === "item" || children.length > 0);
}
