import { clip } from "../../../../base/text.ts";
import { distinct, textKey } from "../../source/text-key.ts";
import type { OutlineEntry } from "./read-outline.ts";
import { specKitHead } from "./spec-kit.ts";

/** An entry with its key: its number, or its text and that of its parents. */
export interface KeyedEntry {
  readonly key: string;
  readonly id: string | null;
  /** The nearest task that contains it. */
  readonly parentKey: string | null;
  /** Without its number. */
  readonly title: string;
  readonly tags: readonly string[];
  readonly entry: OutlineEntry;
}

const maxNumberChars = 30;

/** The place of an entry in the file. */
interface Place {
  /** The entry that contains it, a group or a task. */
  readonly holder: string | null;
  readonly parentKey: string | null;
}

/** Returns all tasks and groups in the file's order, parents first. */
export function keyedEntries(outline: readonly OutlineEntry[], path: string): readonly KeyedEntry[] {
  const all = outline.flatMap(flat);
  const numbers = numbersOf(all);
  const change = changeOf(path);
  const seen = new Map<string, number>();
  const keyed: KeyedEntry[] = [];
  const walk = (entries: readonly OutlineEntry[], { holder, parentKey }: Place): void => {
    for (const entry of entries) {
      const number = numbers.get(entry);
      const title = number?.title ?? entry.text;
      const key = number?.number ?? distinct(textKey(holder, title), seen);
      const id = number ? `${change}${number.number}` : null;
      keyed.push({ key, id, parentKey, title, tags: tagsOf(entry, number?.tags), entry });
      walk(entry.children, { holder: key, parentKey: entry.checkbox ? key : parentKey });
    }
  };
  walk(outline, { holder: null, parentKey: null });
  return keyed;
}

function flat(entry: OutlineEntry): readonly OutlineEntry[] {
  return [entry, ...entry.children.flatMap(flat)];
}

function tagsOf({ checkbox }: OutlineEntry, tags: readonly string[] = []): readonly string[] {
  return checkbox?.optional ? [...tags, "optional"] : tags;
}

interface Numbered {
  readonly number: string;
  readonly tags?: readonly string[];
  readonly title: string;
}

/**
 * Returns the entries whose leading number is their id. In a list without numbered headings, a leading number can be part
 * of the sentence (`2.5 hours of testing`), so at least half of the entries must have one. A single number (`1.`) can
 * restart in each section, so it counts only if it is unique; of several tasks with one `1.1`, the first has it. An id
 * of spec-kit (`T001`) always counts.
 */
function numbersOf(entries: readonly OutlineEntry[]): ReadonlyMap<OutlineEntry, Numbered> {
  const found = new Map<OutlineEntry, Numbered>();
  const specKit = new Map<OutlineEntry, Numbered>();
  const times = new Map<string, number>();
  const firsts = new Map<string, OutlineEntry>();
  for (const entry of entries) {
    const known = entry.checkbox && specKitHead(entry.text);
    if (known && !firsts.has(known.number)) {
      firsts.set(known.number, entry);
      specKit.set(entry, known);
      continue;
    }
    // Truncated: the pattern needs stack space for each repetition of a group.
    const head = entry.text.slice(0, 2 * maxNumberChars);
    const match = /^(?:(\d+(?:\.\d+)+)[.):]?|(\d+)[.):])\s+/.exec(head);
    const number = match?.[1] ?? match?.[2];
    if (!match || !number || number.length > maxNumberChars) continue;
    found.set(entry, { number, title: entry.text.slice(match[0].length) });
    times.set(number, (times.get(number) ?? 0) + 1);
    if (entry.checkbox && !firsts.has(number)) firsts.set(number, entry);
  }
  const headingNumbered = [...found.keys()].some(({ isHeading, checkbox }) => isHeading || !checkbox);
  if (!headingNumbered && found.size * 2 < entries.length) return specKit;
  const isOwn = ([entry, { number }]: readonly [OutlineEntry, Numbered]): boolean =>
    number.includes(".") ? !entry.checkbox || firsts.get(number) === entry : times.get(number) === 1;
  return new Map([...specKit, ...[...found].filter(isOwn)]);
}

/** Returns `<change>:` for the tasks of an OpenSpec change: numbers restart in each change, and archiving keeps its name. */
function changeOf(path: string): string {
  const change = /(?:^|\/)openspec\/changes\/(?:archive\/(?:\d{4}-\d\d-\d\d-)?)?([^/]+)\/[^/]+$/.exec(
    path,
  )?.[1];
  if (!change) return "";
  const name = change.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[._-]+/, "");
  return name === "" ? "" : `${clip(name, 60).replace("…", "")}:`;
}
