import { RalphError } from "../../../base/errors.ts";
import { clip } from "../../../base/text.ts";
import type { ImportedFile, ImportedTask, Marks, ShortFormat, SourceText } from "../source/imported-task.ts";
import { applyEdits, type TextEdit } from "../source/text-edit.ts";
import type { Checkbox } from "./markdown/checkbox.ts";
import { type KeyedEntry, keyedEntries } from "./markdown/keyed-entries.ts";
import { type OutlineEntry, readOutline } from "./markdown/read-outline.ts";
import { statedBlockers } from "./markdown/spec-kit.ts";

/**
 * Markdown checklists: items and headings with a checkbox (`- [ ]`) are tasks, nested ones their children. Headings and
 * plain bullets without one are groups. Numbers in the style of OpenSpec (`## 1. Story`, `1.1`), and ids of spec-kit (`T001`), are the ids.
 */
export const markdown: ShortFormat = {
  name: "markdown",
  endings: [".md", ".markdown"],
  parse,
  mark,
};

/** A longer paragraph after a checkbox becomes the description, with a clipped title. */
const maxTitleChars = 300;
const clippedTitleChars = 120;
/** Optional tasks run last. */
const low = 3;

function parse(source: SourceText): ImportedFile {
  const { entries: outline, warnings: malformed } = readOutline(source);
  const entries = keyedEntries(outline, source.path).flatMap(asTask);
  if (entries.length === 0) {
    throw new RalphError("RALPH_IMPORT_EMPTY", `${source.path} contains no checklist`, {
      hint: malformed[0] ?? "Write each task as a line `- [ ] what to do`.",
    });
  }
  const states = statesOf(entries);
  const numbers = new Set(entries.flatMap(({ key, id }) => (id === null ? [] : [key])));
  const tasks = entries.map((keyed): ImportedTask => {
    const { key, id, parentKey, title, tags, entry } = keyed;
    const blockers = statedBlockers(title, numbers).filter((blocker) => blocker !== key);
    const long = title.length > maxTitleChars;
    return {
      key,
      id,
      parentKey,
      line: entry.line,
      title: long ? clip(title, clippedTitleChars) : title,
      description: long ? `${title}\n\n${entry.description}`.trim() : entry.description,
      state: states.get(key) ?? "open",
      ticked: entry.checkbox.ticked,
      reason: null,
      ...(tags.length > 0 && { tags }),
      ...(entry.checkbox.optional && { priority: low }),
      ...(blockers.length > 0 && { dependsOnIfKnown: blockers }),
    };
  });
  const early = entries.filter(({ key, entry }) => entry.checkbox.ticked && states.get(key) !== "done");
  const warnings = early.map(
    ({ entry }) =>
      `${source.path}:${entry.line}: ticked but has open items; it stays open until they are ticked`,
  );
  return { tasks, warnings: [...malformed, ...warnings] };
}

/** An entry with a checkbox. */
interface KeyedTask extends KeyedEntry {
  readonly entry: OutlineEntry & { readonly checkbox: Checkbox };
}

function asTask(keyed: KeyedEntry): readonly KeyedTask[] {
  const { checkbox } = keyed.entry;
  return checkbox ? [{ ...keyed, entry: { ...keyed.entry, checkbox } }] : [];
}

interface TickedFile extends SourceText {
  readonly entries: readonly KeyedEntry[];
}

/** Cache of the last ticked file: parsing a list takes longer than all other work at the end of an iteration. */
let last: TickedFile | undefined;

function mark({ path, text: before }: SourceText, marks: Marks): string | undefined {
  const known = last?.path === path && last.text === before ? last : undefined;
  const entries = known?.entries ?? keyedEntries(readOutline({ path, text: before }).entries, path);
  const left = new Map(marks);
  const edits: TextEdit[] = [];
  const marked = entries.map((keyed): KeyedEntry => {
    // Of several entries with one key only the first counts.
    const ticked = left.get(keyed.key);
    left.delete(keyed.key);
    const { checkbox } = keyed.entry;
    // A group has no checkbox.
    if (ticked === undefined || !checkbox || checkbox.ticked === ticked) return keyed;
    const { box, width } = checkbox;
    edits.push({ start: box, end: box + width, text: ticked ? "x" : " " });
    return { ...keyed, entry: { ...keyed.entry, checkbox: { ...checkbox, ticked } } };
  });
  if (left.size === marks.size) return undefined;
  const text = applyEdits(before, edits);
  // Else the offsets of all entries stay the same.
  if (text.length === before.length) last = { path, text, entries: marked };
  return text;
}

/** Returns the states by key. A task with children is done when all of them are; any other task when it is ticked. */
function statesOf(entries: readonly KeyedTask[]): ReadonlyMap<string, "open" | "done"> {
  const states = new Map<string, "open" | "done">();
  const parents = new Set(entries.map(({ parentKey }) => parentKey));
  const parentsOfOpen = new Set<string>();
  // Children come after their parents.
  for (const { key, parentKey, entry } of entries.toReversed()) {
    const done = parents.has(key) ? !parentsOfOpen.has(key) : entry.checkbox.ticked;
    states.set(key, done ? "done" : "open");
    if (!done && parentKey !== null) parentsOfOpen.add(parentKey);
  }
  return states;
}
