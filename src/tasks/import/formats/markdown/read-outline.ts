import { RalphError } from "../../../../base/errors.ts";
import { cleanText, clip, oneLine } from "../../../../base/text.ts";
import type { SourceText } from "../../source/imported-task.ts";
import type { Checkbox } from "./checkbox.ts";
import { type Lines, type Part, readLines } from "./read-lines.ts";
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

const maxChars = 2 * 1024 * 1024;
const maxShownChars = 60;

/**
 * Returns the tasks and groups in the file's order, without the document's title (its first heading, if that is the only
 * one of level 1 and has no checkbox). Linear time. Throws the errors of `readLines`, and RALPH_FILE_TOO_LARGE.
 */
export function readOutline({ text, path }: SourceText): Outline {
  if (text.length > maxChars) {
    const message = `cannot read ${path}: it has ${text.length} characters; the limit is ${maxChars}`;
    throw new RalphError("RALPH_FILE_TOO_LARGE", message, { hint: "Split the file." });
  }
  const read = readLines(text, path);
  const warnings = read.malformed.map(({ line, written, why }) => {
    const shown = clip(oneLine(written), maxShownChars);
    return `${path}:${line}: not imported: ${JSON.stringify(shown)}: ${why}`;
  });
  return { entries: prune(readSections(read)), warnings };
}

function readSections({ parts, lines }: Lines): readonly OutlineEntry[] {
  const top: OutlineEntry = { ...emptyEntry, children: [] };
  const title = titleOf(parts);
  const open: { readonly level: number; readonly entry: OutlineEntry }[] = [{ level: 0, entry: top }];
  for (const part of parts) {
    if (part === title) continue;
    if (part.kind !== "heading") {
      readParts([part], open.at(-1)?.entry ?? top, { lines, width: 0 });
      continue;
    }
    while ((open.at(-1)?.level ?? 0) >= part.level) open.pop();
    const parent = open.at(-1)?.entry ?? top;
    const entry: OutlineEntry = { ...entryOf(part), isHeading: true };
    if (entry.text !== "") parent.children.push(entry);
    open.push({ level: part.level, entry: entry.text === "" ? parent : entry });
  }
  return top.children;
}

/** Reads what is below a heading or item: items with tasks become children, the rest its description. */
function readParts(
  parts: readonly Part[],
  owner: OutlineEntry,
  place: { readonly lines: readonly string[]; readonly width: number },
): void {
  let text: { readonly from: number; to: number } | undefined;
  const endText = (): void => {
    if (text) owner.description = joined(owner.description, written(text, place));
    text = undefined;
  };
  for (const part of parts) {
    if (!holdsTask(part)) {
      if (text) text.to = part.to;
      else text = { from: part.from, to: part.to };
      continue;
    }
    endText();
    const { lines } = place;
    if (part.head.length === 0) readParts(part.children, owner, { lines, width: part.width });
    else {
      const entry = entryOf(part);
      owner.children.push(entry);
      readParts(part.children, entry, { lines, width: part.width });
    }
  }
  endText();
}

function holdsTask({ checkbox, children }: Part): boolean {
  return checkbox !== undefined || children.some(holdsTask);
}

function entryOf({ head, from, checkbox }: Part): OutlineEntry {
  const { title, rest } = splitTitle(head.join("\n"));
  return { ...emptyEntry, text: title, description: rest, line: from + 1, checkbox, children: [] };
}

function joined(before: string, more: string): string {
  return before === "" ? more : `${before}\n\n${more}`;
}

/** Returns lines as written, without the indentation of the item that they belong to. */
function written(
  { from, to }: { readonly from: number; readonly to: number },
  { lines, width }: { readonly lines: readonly string[]; readonly width: number },
): string {
  const indentation = new RegExp(`^[ \\t]{0,${width}}`);
  return cleanText(
    lines
      .slice(from, to + 1)
      .map((line) => line.replace(indentation, ""))
      .join("\n"),
  );
}

const emptyEntry = {
  isHeading: false,
  text: "",
  line: 1,
  description: "",
  checkbox: undefined,
} as const;

function titleOf(parts: readonly Part[]): Part | undefined {
  const headings = parts.filter(({ kind }) => kind === "heading");
  const [first, second] = headings.filter(({ level }) => level === 1);
  return first && !second && first === headings[0] && !first.checkbox ? first : undefined;
}

/** Removes the groups without tasks. */
function prune(entries: readonly OutlineEntry[]): OutlineEntry[] {
  return entries
    .map((entry) => ({ ...entry, children: prune(entry.children) }))
    .filter(({ checkbox, children }) => checkbox || children.length > 0);
}
