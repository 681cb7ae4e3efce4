import { setImmediate as nextTurn } from "node:timers/promises";
import { RalphError } from "../../base/errors.ts";
import type { ImportedTask, ImportFormat, SourceText } from "./source/imported-task.ts";

/** The state that the ticks of a list are compared with. */
export interface TickOrigin {
  /** The list's text before the ticks in question; empty: it is unknown. */
  readonly former: string;
  /** The keys of the finished tasks. */
  readonly done: ReadonlySet<string>;
}

/** A list whose foreign ticks were reverted. */
export interface RevertedTicks {
  readonly text: string;
  /** The entries that were changed back. */
  readonly entries: readonly Pick<ImportedTask, "key" | "title">[];
}

/**
 * Returns the list with each checkbox as before that changed since `former` without a change of its task's status. Undefined
 * if one cannot be changed alone, or nothing of a list with open entries is left.
 */
export async function withoutForeignTicks(
  format: ImportFormat,
  current: SourceText,
  { former, done }: TickOrigin,
): Promise<RevertedTicks | undefined> {
  const shorter =
    former === "" ? undefined : await format.withoutShared?.(current.path, former, current.text);
  const [before, after] = shorter ?? [former, current.text];
  const earlier = await entriesOf(format, { ...current, text: before });
  const ticked = new Set(earlier.filter(isTicked).map(({ key }) => key));
  await nextTurn();
  const later = await entriesOf(format, { ...current, text: after });
  const isOpen = (entry: ImportedTask): boolean => !isTicked(entry) && !done.has(entry.key);
  if (later.length === 0 && earlier.some(isOpen) && (await entriesOf(format, current)).length === 0)
    return undefined;
  const entries = later.filter((entry) => {
    const { key } = entry;
    const isForeign = isTicked(entry) && !ticked.has(key) && !done.has(key);
    const isLost = !isTicked(entry) && ticked.has(key) && done.has(key);
    return isForeign || isLost;
  });
  if (entries.length === 0) return { text: current.text, entries };
  const marks = new Map(entries.map((entry) => [entry.key, !isTicked(entry)]));
  try {
    const text = (await format.mark(current, marks)) ?? current.text;
    return { text, entries: entries.map(({ key, title }) => ({ key, title })) };
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== "RALPH_WRITE_BACK" || former === "") throw error;
    return undefined;
  }
}

async function entriesOf({ parse }: ImportFormat, source: SourceText): Promise<readonly ImportedTask[]> {
  try {
    return (await parse(source)).tasks;
  } catch (error) {
    if (error instanceof RalphError) return [];
    throw error;
  }
}

function isTicked({ state, ticked }: ImportedTask): boolean {
  return ticked ?? state === "done";
}
