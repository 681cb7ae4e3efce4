import type { SafeText } from "../../base/safe-text.ts";
import { count } from "../../base/text.ts";
import { redactedText } from "../../trust/safe-text.ts";
import { storedText } from "../../trust/stored-text.ts";
import type { Approvable, ApprovalList, ExecutedItem } from "./executed-items.ts";

/** Returns `verify: npm test` for an item, on one line and safe to print. */
export function renderItem({ place, text }: Pick<ExecutedItem, "place" | "text">): string {
  return `${labelOf(place)}: ${visible(text)}`;
}

/**
 * Returns the items that are not approved, for people. When something of the project was approved before, only the
 * difference: `-` for what was approved in the same place, `+` for what replaces it.
 */
export function renderItems({ items }: Pick<ApprovalList, "items">): SafeText {
  const open = items.filter(({ approved }) => !approved);
  const unchanged = items.length - open.length;
  const isChange = unchanged > 0 || open.some(({ was }) => was !== null);
  const title = isChange
    ? "What this project makes ralph execute has changed since you approved it:"
    : "This project makes ralph execute what you have not approved:";
  const width = labelWidth(open);
  const lines = open.flatMap(({ place, text, was }) => {
    const row = (mark: string, what: string): string =>
      `  ${mark} ${labelOf(place).padEnd(width)}  ${visible(what)}`;
    return [...(was === null ? [] : [row("-", was)]), row("+", text)];
  });
  const rest = isChange && unchanged > 0 ? [`  ${count(unchanged, "other item")}: approved, unchanged`] : [];
  return storedText([title, ...lines, ...rest].join("\n"));
}

/** Returns one line for each item, with its state. */
export function renderAllItems(items: readonly Approvable[]): SafeText {
  const width = labelWidth(items);
  const lines = items.map(({ approved, place, text }) => {
    const state = approved ? "✓ approved    " : "! not approved";
    return `${state}  ${labelOf(place).padEnd(width)}  ${visible(text)}`;
  });
  return storedText(lines.join("\n"));
}

function labelWidth(items: readonly Pick<Approvable, "place">[]): number {
  return Math.max(0, ...items.map(({ place }) => labelOf(place).length));
}

function labelOf(place: string): string {
  return storedText(place.replace(/\[\d+\]$/, ""));
}

/** Redacts secrets and shows each character that a terminal would hide or obey, so that a command reads as it runs. */
function visible(text: string): string {
  return redactedText(text).replace(/[^ -~]/gu, (char) => {
    const isPlain = char !== "\n" && char !== "\t" && storedText(`a${char}a`) === `a${char}a`;
    return isPlain ? char : `\\u{${char.codePointAt(0)?.toString(16)}}`;
  });
}
