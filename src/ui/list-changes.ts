import { joinSafe, type SafeText, safe } from "../base/safe-text.ts";
import { storedLine, storedText } from "../trust/stored-text.ts";

/** A change of a task list, as in the event `list.synced`. */
interface ListChange {
  readonly kind: string;
  readonly id: string;
  readonly title: string;
  readonly was?: string;
}

const signs: Readonly<Record<string, string>> = { added: "+", removed: "-", withdrawn: "-" };
const words: Readonly<Record<string, string>> = {
  withdrawn: "removed from the list (kept, blocked: it was begun)",
  reopened: "reopened: waits for open items below it",
};
const maxLines = 20;

/** Counts the changes by kind: `2 added, 1 renamed`. */
export function summarizeChanges(changes: readonly ListChange[]): SafeText {
  const counts = new Map<string, number>();
  for (const { kind } of changes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return joinSafe(
    [...counts].map(([kind, count]) => safe`${count} ${storedText(kind)}`),
    ", ",
  );
}

/** Returns a line for each of the first changes: `+ t-3fa9c1 Parse dates (added)`. */
export function changeLines(
  changes: readonly ListChange[],
  total: number = changes.length,
): readonly SafeText[] {
  const shown = changes.slice(0, maxLines).map(({ kind, id, title, was }) => {
    const what = words[kind] ?? kind;
    const before = was === undefined ? safe`` : safe`, was: ${storedLine(was, 80)}`;
    return safe`${storedText(signs[kind] ?? "~")} ${storedText(id)} ${storedLine(title, 80)} (${storedText(what)}${before})`;
  });
  const more = total - shown.length;
  return more > 0 ? [...shown, safe`… ${more} more`] : shown;
}
