import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { clip } from "../base/text.ts";
import type { LeftOut, MemoryItem, Recalled } from "../memory/port/memory-kind.ts";
import { escapeFences, fenceLines } from "../trust/fence.ts";
import type { DroppedItem, ShownItem } from "./prompt.ts";

/** One memory section as shown in the prompt; `text` is "" if nothing of it fits. */
export interface PackedSection {
  readonly text: SafeText;
  readonly items: readonly ShownItem[];
  readonly dropped: readonly DroppedItem[];
}

interface SectionFrame {
  readonly top: SafeText;
  /** The lines around the items; null: they are not fenced. */
  readonly fence: ReturnType<typeof fenceLines> | null;
  readonly bottom: SafeText;
}

interface PlacedItem {
  readonly item: MemoryItem;
  readonly text: SafeText;
  readonly cut: "" | "shortened" | "in one line";
}

const blank = "\n\n";

/**
 * Packs a section into `room` characters, including heading, fence and blank lines. Its tail has priority and always fits. `seed`
 * is that of the prompt's fences.
 */
export function packSection(given: Recalled, room: number, seed: string): PackedSection {
  if (given.withheld !== undefined) return withheld(given, given.withheld);
  const recalled = given.isFenced ? { ...given, items: given.items.map(escaped) } : given;
  const whole = recalled.items.map((item): PlacedItem => ({ item, text: item.text, cut: "" }));
  const full = frameOf(recalled, seed);
  const fits = join(full, whole).length <= room;
  if (fits || recalled.drop === "never") return packed(recalled, full, whole, room);
  for (const frame of [full, { ...full, top: recalled.heading }]) {
    const left = room - join(frame, []).length - blank.length - fenceChars(frame);
    if (left < 0 && frame === full) continue;
    const chosen = choose(recalled, left);
    if (chosen.length > 0 || frame !== full) return packed(recalled, frame, chosen, room);
  }
  return packed(recalled, full, [], room);
}

/** Shows nothing of the section and reports what it would have shown. */
function withheld({ section, items, leftOut = [] }: Recalled, reason: string): PackedSection {
  const dropped = [
    ...items.map(({ id }) => ({ section, id, reason, withheld: true })),
    ...leftOut.map((left) => ({ section, ...left })),
  ];
  return { text: safe``, items: [], dropped };
}

function choose({ drop, items }: Recalled, room: number): readonly PlacedItem[] {
  if (drop === "oldest") return latestFirst(items, room);
  return drop === "detail" ? linesFirst(items, room) : bestFirst(items, room);
}

function frameOf({ heading, lead, tail, isFenced }: Recalled, seed: string): SectionFrame {
  const fence = isFenced ? fenceLines(seed) : null;
  return { top: joinSafe([heading, lead].filter(Boolean), blank), fence, bottom: tail };
}

/** Returns an item whose texts cannot pass for a line of a fence. */
function escaped(item: MemoryItem): MemoryItem {
  const { text, short, fit: shorten } = item;
  const more = shorten ? { fit: (room: number) => escapeFences(shorten(room)) } : {};
  return { ...item, text: escapeFences(text), short: escapeFences(short), ...more };
}

/** The characters of the fence around items, with its line ends. */
function fenceChars({ fence }: SectionFrame): number {
  return fence ? fence.open.length + fence.close.length + 2 : 0;
}

function join({ top, fence, bottom }: SectionFrame, placed: readonly PlacedItem[]): SafeText {
  const texts = placed.map(({ text }) => text);
  const items = fence && texts.length > 0 ? [fence.open, ...texts, fence.close] : texts;
  return joinSafe([top, joinSafe(items, "\n"), bottom].filter(Boolean), blank);
}

function packed(
  recalled: Recalled,
  frame: SectionFrame,
  placed: readonly PlacedItem[],
  room: number,
): PackedSection {
  const empty = placed.length === 0 && frame.bottom === "";
  const text = empty ? safe`` : clip(join(frame, placed), room);
  const shown = text === "" ? [] : placed;
  const rooms = new Map(shown.map((one) => [one.item, one.text.length]));
  const reason = `no room: ${Math.max(0, room)} characters were left for the section`;
  const { section, items, leftOut = [] } = recalled;
  return {
    text,
    items: shown.map(({ item: { id, score, reason: why, label, parts }, cut }) => {
      const more = { ...(label === undefined ? {} : { label }), ...(parts === undefined ? {} : { parts }) };
      return { id, score, reason: cut ? `${why}; ${cut} for lack of room` : why, ...more };
    }),
    dropped: [
      ...items.flatMap((item) =>
        droppedOf(item, rooms.get(item), reason).map((one) => ({ section, ...one })),
      ),
      ...leftOut.map((left) => ({ section, ...left })),
    ],
  };
}

/** Names what the prompt does not show of an item of which it shows `room` characters; undefined: none of it. */
function droppedOf({ id, leftOut }: MemoryItem, room: number | undefined, why: string): readonly LeftOut[] {
  if (leftOut) return leftOut(room ?? 0).map((part) => ({ ...part, reason: `${why}; ${part.reason}` }));
  return room === undefined ? [{ id, reason: why }] : [];
}

/** Places the first items that fit, whole or in a shorter form. */
function bestFirst(items: readonly MemoryItem[], room: number): readonly PlacedItem[] {
  const placed: PlacedItem[] = [];
  let left = room;
  for (const item of items) {
    const choice = placeItem(item, left, left);
    if (!choice) continue;
    placed.push(choice);
    left -= choice.text.length + 1;
  }
  return placed;
}

/** Places as many one-line forms as fit, best first; then replaces them by whole texts while there is room. */
function linesFirst(items: readonly MemoryItem[], room: number): readonly PlacedItem[] {
  const placed: PlacedItem[] = [];
  let left = room;
  for (const item of items) {
    if (item.short.length > left) continue;
    placed.push({ item, text: item.short, cut: item.short === item.text ? "" : "in one line" });
    left -= item.short.length + 1;
  }
  return placed.map((line) => {
    const longer = line.item.text.length - line.text.length;
    if (longer === 0 || longer > left) return line;
    left -= longer;
    return { item: line.item, text: line.item.text, cut: "" };
  });
}

/** The share of the room reserved for one-line forms of the items before the latest. */
const olderShare = 0.25;

/** An earlier item is cut to what is left rather than put in one line if it is this many characters. */
const isWorthCutting = 500;

/**
 * Places the latest item first, as complete as possible; earlier ones whole while they fit, the first that does not fit
 * cut to the room, then in one line each.
 */
function latestFirst(items: readonly MemoryItem[], room: number): readonly PlacedItem[] {
  const lines = items.slice(0, -1).reduce((sum, { short }) => sum + short.length + 1, 0);
  const reserve = Math.min(lines, Math.floor(room * olderShare));
  const placed: PlacedItem[] = [];
  let left = room;
  let wholes = true;
  for (const item of items.toReversed()) {
    const latest = placed.length === 0;
    const whole: number = latest ? left : wholes ? left - linesBefore(items, item) : 0;
    const fitted = latest ? left - reserve : whole >= isWorthCutting ? whole : 0;
    const choice: PlacedItem | undefined = placeItem(item, whole, fitted) ?? oneLineOf(item, left);
    if (!choice) break;
    wholes &&= latest || choice.cut === "";
    placed.push(choice);
    left -= choice.text.length + 1;
  }
  return placed.toReversed();
}

/** Returns the characters that the one-line forms of the items before `item` need. */
function linesBefore(items: readonly MemoryItem[], item: MemoryItem): number {
  return items.slice(0, items.indexOf(item)).reduce((sum, { short }) => sum + short.length + 1, 0);
}

/** Places the item whole within `whole`, else cut to `fitted`, else in one line within `fitted`. */
function placeItem(item: MemoryItem, whole: number, fitted: number): PlacedItem | undefined {
  if (item.text.length <= whole) return { item, text: item.text, cut: "" };
  const text = item.fit && fitted > 0 ? item.fit(fitted) : "";
  if (text && text.length <= fitted) return { item, text, cut: "shortened" };
  return oneLineOf(item, fitted);
}

function oneLineOf(item: MemoryItem, room: number): PlacedItem | undefined {
  return item.short && item.short.length <= room ? { item, text: item.short, cut: "in one line" } : undefined;
}
