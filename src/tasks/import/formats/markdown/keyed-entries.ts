import { sha256 } from "../../../../base/hash.ts";
import { clip } from "../../../../base/text.ts";
import type { OutlineEntry } from "./read-outline.ts";

/** An entry with what names it: its number, or else its text below that of its parents. */
export interface KeyedEntry {
  readonly key: string;
  readonly id: string | null;
  readonly parentKey: string | null;
  /** Without its number. */
  readonly title: string;
  readonly entry: OutlineEntry;
}

const readableKey = 200;
const longestNumber = 30;

/** All entries in the file's order, parents first. */
export function keyedEntries(outline: readonly OutlineEntry[], path: string): readonly KeyedEntry[] {
  const all = outline.flatMap(flat);
  const numbers = numbersOf(all);
  const change = changeOf(path);
  const seen = new Map<string, number>();
  const keyed: KeyedEntry[] = [];
  const walk = (entries: readonly OutlineEntry[], parentKey: string | null): void => {
    for (const entry of entries) {
      const number = numbers.get(entry);
      const title = number?.title ?? entry.text;
      const key = number?.number ?? distinct(textKey(parentKey, title), seen);
      const id = number ? `${change}${number.number}` : null;
      keyed.push({ key, id, parentKey, title, entry });
      walk(entry.children, key);
    }
  };
  walk(outline, null);
  return keyed;
}

function flat(entry: OutlineEntry): readonly OutlineEntry[] {
  return [entry, ...entry.children.flatMap(flat)];
}

interface Numbered {
  readonly number: string;
  readonly title: string;
}

/**
 * The entries whose leading number is their id. In a list without numbered headings a number in front may be part of
 * the sentence (`2.5 hours of testing`), so there most entries must have one. A single number (`1.`) may begin anew
 * in each section: it counts where it stands once.
 */
function numbersOf(entries: readonly OutlineEntry[]): ReadonlyMap<OutlineEntry, Numbered> {
  const found = new Map<OutlineEntry, Numbered>();
  const times = new Map<string, number>();
  for (const entry of entries) {
    // Cut, as a pattern needs stack for each turn of a repeated group.
    const head = entry.text.slice(0, 2 * longestNumber);
    const match = /^(?:(\d+(?:\.\d+)+)[.):]?|(\d+)[.):])\s+/.exec(head);
    const number = match?.[1] ?? match?.[2];
    if (!match || !number || number.length > longestNumber) continue;
    found.set(entry, { number, title: entry.text.slice(match[0].length) });
    times.set(number, (times.get(number) ?? 0) + 1);
  }
  const headingNumbered = [...found.keys()].some(({ kind }) => kind === "heading");
  if (!headingNumbered && found.size * 2 < entries.length) return new Map();
  return new Map([...found].filter(([, { number }]) => number.includes(".") || times.get(number) === 1));
}

/** `<change>:` for the tasks of an OpenSpec change, whose numbers begin anew in each; archiving keeps the name. */
function changeOf(path: string): string {
  const change = /(?:^|\/)openspec\/changes\/(?:archive\/(?:\d{4}-\d\d-\d\d-)?)?([^/]+)\/[^/]+$/.exec(
    path,
  )?.[1];
  if (!change) return "";
  const name = change.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[._-]+/, "");
  return name === "" ? "" : `${clip(name, 60).replace("…", "")}:`;
}

function textKey(parentKey: string | null, title: string): string {
  const text = title.normalize("NFC").toLowerCase();
  const key = parentKey === null ? text : `${parentKey} / ${text}`;
  return key.length <= readableKey ? key : `${clip(key, readableKey)}${sha256(key).slice(0, 16)}`;
}

function distinct(key: string, seen: Map<string, number>): string {
  const times = (seen.get(key) ?? 0) + 1;
  seen.set(key, times);
  return times === 1 ? key : distinct(`${key} #${times}`, seen);
}
