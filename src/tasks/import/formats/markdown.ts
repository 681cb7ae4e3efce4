import { RalphError } from "../../../base/errors.ts";
import { clip } from "../../../base/text.ts";
import type { ImportedFile, ImportedTask, ImportFormat, SourceText } from "../imported-task.ts";
import { type KeyedEntry, keyedEntries } from "./markdown/keyed-entries.ts";
import { readOutline } from "./markdown/read-outline.ts";

/**
 * Markdown checklists: `- [ ]` items are tasks, nested items their children, headings and plain bullets that contain items
 * their parents. Numbers in the style of OpenSpec (`## 1. Story`, `1.1`) are the ids.
 */
export const markdown: ImportFormat = {
  name: "markdown",
  endings: [".md", ".markdown"],
  parse,
  tick,
  untick,
};

/** A longer paragraph after a checkbox becomes the description, with a clipped title. */
const maxTitleChars = 300;
const clippedTitleChars = 120;

function parse(source: SourceText): ImportedFile {
  const entries = keyedEntries(readOutline(source), source.path);
  if (entries.length === 0) {
    throw new RalphError("RALPH_IMPORT_EMPTY", `${source.path} contains no checklist`, {
      hint: "Write each task as a line `- [ ] what to do`.",
    });
  }
  const states = statesOf(entries);
  const tasks = entries.map((keyed): ImportedTask => {
    const { key, id, parentKey, title, entry } = keyed;
    const long = title.length > maxTitleChars;
    return {
      key,
      id,
      parentKey,
      line: entry.line,
      title: long ? clip(title, clippedTitleChars) : title,
      description: long ? `${title}\n\n${entry.description}`.trim() : entry.description,
      state: states.get(key) ?? "open",
      reason: null,
    };
  });
  const early = entries.filter(({ key, entry }) => entry.ticked && states.get(key) !== "done");
  const warnings = early.map(
    ({ entry }) =>
      `${source.path}:${entry.line}: ticked but has open items; it stays open until they are ticked`,
  );
  return { tasks, warnings };
}

interface TickedFile extends SourceText {
  readonly entries: readonly KeyedEntry[];
}

/** Cache of the last ticked file: parsing a list takes longer than all other work at the end of an iteration. */
let last: TickedFile | undefined;

function tick(source: SourceText, key: string): string | undefined {
  return setBox(source, key, true);
}

function untick(source: SourceText, key: string): string | undefined {
  return setBox(source, key, false);
}

function setBox(source: SourceText, key: string, checked: boolean): string | undefined {
  const known = last?.path === source.path && last.text === source.text ? last : undefined;
  const entries = known?.entries ?? keyedEntries(readOutline(source), source.path);
  const found = entries.find((keyed) => keyed.key === key);
  if (!found) return undefined;
  const { box, ticked } = found.entry;
  // A heading has no checkbox: its items determine whether it is done.
  if (ticked === checked || box === undefined) return source.text;
  const text = `${source.text.slice(0, box)}${checked ? "x" : " "}${source.text.slice(box + 1)}`;
  // A tick keeps the offsets of all entries.
  const entry = { ...found.entry, ticked: checked };
  last = {
    path: source.path,
    text,
    entries: entries.map((one) => (one === found ? { ...one, entry } : one)),
  };
  return text;
}

/** Returns the states by key. A task with children is done when all of them are; any other task when it is ticked. */
function statesOf(entries: readonly KeyedEntry[]): ReadonlyMap<string, "open" | "done"> {
  const states = new Map<string, "open" | "done">();
  const parentsOfOpen = new Set<string>();
  // Children come after their parents.
  for (const { key, parentKey, entry } of entries.toReversed()) {
    const done = entry.children.length > 0 ? !parentsOfOpen.has(key) : entry.ticked;
    states.set(key, done ? "done" : "open");
    if (!done && parentKey !== null) parentsOfOpen.add(parentKey);
  }
  return states;
}
