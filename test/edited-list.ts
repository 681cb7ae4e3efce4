import fc from "fast-check";

/** A line of a checklist as a person sees it: an item with its depth from 0 and a paragraph below it, or a heading. */
export interface ListLine {
  readonly kind: "item" | "heading";
  readonly depth: number;
  readonly title: string;
  readonly done: boolean;
  readonly note: string;
}

export const maxDepth: number = 2;

/** Reads a checklist with a few lines of its own, not with the parser of ralph. Numbers are not part of a title. */
export function linesOf(text: string): readonly ListLine[] {
  const lines: ListLine[] = [];
  for (const written of text.split("\n")) {
    const item = /^( *)- \[([ x])\] (.+)$/.exec(written);
    const heading = /^## (.+)$/.exec(written);
    const last = lines.at(-1);
    const title = (item?.[3] ?? heading?.[1] ?? "").replace(/^\d[\d.]* /, "");
    if (item)
      lines.push({
        kind: "item",
        depth: (item[1] ?? "").length / 2,
        title,
        done: item[2] === "x",
        note: "",
      });
    else if (heading) lines.push({ kind: "heading", depth: 0, title, done: false, note: "" });
    else if (last?.kind === "item" && written.trim() !== "")
      lines[lines.length - 1] = { ...last, note: written.trim() };
  }
  return lines;
}

/** Writes a checklist; `numbered`: each item with its current number (`1.`, `1.2`). */
export function textOf(
  lines: readonly ListLine[],
  { numbered = false }: { readonly numbered?: boolean } = {},
): string {
  const numbers: number[] = [];
  const numberAt = (depth: number): string => {
    numbers.length = Math.min(numbers.length, depth + 1);
    numbers[depth] = (numbers[depth] ?? 0) + 1;
    return depth === 0 ? `${numbers[0]}. ` : `${numbers.join(".")} `;
  };
  const written = normalized(lines).map(({ kind, depth, title: text, done, note }) => {
    if (kind === "heading") return `\n## ${text}\n\n`;
    const title = `${numbered ? numberAt(depth) : ""}${text}`;
    const indent = "  ".repeat(depth);
    const paragraph = note === "" ? "" : `\n${indent}  ${note}\n\n`;
    return `${indent}- [${done ? "x" : " "}] ${title}\n${paragraph}`;
  });
  return `# List\n\n${written.join("")}`;
}

/** Returns the lines with depths that Markdown can express: an item is at most one level below the item before it. */
function normalized(lines: readonly ListLine[]): readonly ListLine[] {
  let deepest = 0;
  return lines.map((line) => {
    const depth = line.kind === "heading" ? 0 : Math.min(line.depth, deepest, maxDepth);
    deepest = line.kind === "heading" ? 0 : depth + 1;
    return { ...line, depth };
  });
}

const words = ["parser", "printer", "dates", "login", "export", "cache", "docs", "tests", "index", "report"];
export const phrase: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("Add", "Fix", "Remove"), fc.constantFrom(...words), fc.constantFrom(...words))
  .map(([verb, one, two]) => `${verb} the ${one} of ${two}`);

type EditKind =
  | "add"
  | "copy"
  | "rename"
  | "retitle"
  | "delete"
  /** Deletes an item and keeps those below it. */
  | "lift"
  | "move"
  | "indent"
  | "outdent"
  | "tick"
  | "untick"
  | "note"
  | "heading"
  | "unheading"
  | "swap"
  /** Exchanges an item with the one after it, which can be its child. */
  | "nest";

const kinds: readonly EditKind[] = [
  ...(["add", "add", "copy", "rename", "rename", "retitle", "delete", "delete", "lift", "move"] as const),
  ...(["move", "move", "indent", "outdent", "tick", "tick", "untick", "note", "heading"] as const),
  ...(["unheading", "swap", "nest"] as const),
];

/** An edit by a person; `at` and `to` select lines. */
export interface Edit {
  readonly kind: EditKind;
  readonly at: number;
  readonly to: number;
  readonly depth: number;
  readonly phrase: string;
}
export const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom(...kinds),
  at: fc.nat(60),
  to: fc.nat(60),
  depth: fc.nat(maxDepth),
  phrase,
});

/** Applies an edit. A moved or deleted item takes the items below it with it. */
export function edited(all: readonly ListLine[], { kind, at, to, depth, phrase }: Edit): readonly ListLine[] {
  const lines = normalized(all);
  const place = at % Math.max(1, lines.length);
  const line = lines[place];
  const fresh: ListLine = { kind: "item", depth, title: phrase, done: false, note: "" };
  if (kind === "add" || !line) return normalized(lines.toSpliced(place, 0, fresh));
  if (kind === "heading")
    return normalized(
      lines.toSpliced(place, 0, { ...fresh, title: `Part: ${phrase}`, kind: "heading", depth: 0 }),
    );
  if (line.kind === "heading") return kind === "unheading" ? normalized(lines.toSpliced(place, 1)) : lines;
  const size = blockSize(lines, place);
  const block = lines.slice(place, place + size);
  const others = lines.toSpliced(place, size);
  const target = to % (others.length + 1);
  const deeper = (by: number): readonly ListLine[] =>
    block.map((one) => ({ ...one, depth: Math.max(0, Math.min(maxDepth, one.depth + by)) }));
  const with_ = (changes: Partial<ListLine>): readonly ListLine[] =>
    lines.with(place, { ...line, ...changes });
  switch (kind) {
    case "copy":
      return normalized(lines.toSpliced(to % (lines.length + 1), 0, { ...fresh, title: line.title }));
    case "rename":
      return with_({ title: `${line.title} again` });
    case "retitle":
      return with_({ title: phrase });
    case "delete":
      return normalized(others);
    case "lift":
      return normalized(lines.toSpliced(place, 1));
    case "move":
      return normalized(others.toSpliced(target, 0, ...deeper(depth - line.depth)));
    case "indent":
      return normalized(lines.toSpliced(place, size, ...deeper(1)));
    case "outdent":
      return normalized(lines.toSpliced(place, size, ...deeper(-1)));
    case "tick":
      return with_({ done: true });
    case "untick":
      return with_({ done: false });
    case "note":
      return with_({ note: to % 3 === 0 ? "" : `More about ${phrase}.` });
    case "swap":
      return swapped(lines, place);
    case "nest":
      return swapped(lines, place + 1);
    default:
      return lines;
  }
}

function blockSize(lines: readonly ListLine[], place: number): number {
  const depth = lines[place]?.depth ?? 0;
  const rest = lines.slice(place + 1);
  const end = rest.findIndex((one) => one.kind === "heading" || one.depth <= depth);
  return 1 + (end < 0 ? rest.length : end);
}

/** Exchanges an item with the line after it; the depths stay. */
function swapped(lines: readonly ListLine[], place: number): readonly ListLine[] {
  const [one, two] = [lines[place], lines[place + 1]];
  if (one?.kind !== "item" || two?.kind !== "item") return lines;
  return lines.with(place, { ...two, depth: one.depth }).with(place + 1, { ...one, depth: two.depth });
}

/** An item with the place of its parent item, and its state by the ticks of its leaves. */
export interface ListItem extends ListLine {
  readonly parent: number | undefined;
  readonly isLeaf: boolean;
  readonly finished: boolean;
}

export function itemsOf(lines: readonly ListLine[]): readonly ListItem[] {
  const items: (ListLine & { parent: number | undefined; children: number[] })[] = [];
  const open: number[] = [];
  for (const line of lines) {
    if (line.kind === "heading") {
      open.length = 0;
      continue;
    }
    open.length = Math.min(open.length, line.depth);
    const parent = open.at(-1);
    if (parent !== undefined) items[parent]?.children.push(items.length);
    open.push(items.length);
    items.push({ ...line, parent, children: [] });
  }
  const finished = (at: number): boolean => {
    const { children = [], done = false } = items[at] ?? {};
    return children.length === 0 ? done : children.every(finished);
  };
  return items.map(({ children, ...item }, at) => ({
    ...item,
    isLeaf: children.length === 0,
    finished: finished(at),
  }));
}
