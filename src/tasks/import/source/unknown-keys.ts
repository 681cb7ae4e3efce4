import { RalphError } from "../../../base/errors.ts";
import { nearest } from "../../../base/nearest.ts";

interface Keyed {
  readonly keys: readonly string[];
  /** Returns `file:line:column` of one of them. */
  placeOf(key: string): string;
}

/**
 * Returns one warning per unknown key, with its first place; `more` names how many other entries have it. Throws
 * RALPH_IMPORT_UNKNOWN_KEY for a likely typo or a synonym of a known key: silently losing a dependency would let tasks run in the
 * wrong order.
 */
export function unknownKeyWarnings(
  entries: readonly Keyed[],
  {
    known,
    more,
    synonyms,
  }: {
    known: readonly string[];
    more: (n: number) => string;
    synonyms?: (key: string) => string | undefined;
  },
): readonly string[] {
  const found = new Map<string, { readonly first: Keyed; times: number }>();
  for (const entry of entries) {
    for (const key of entry.keys) {
      if (known.includes(key)) continue;
      const seen = found.get(key);
      if (seen) seen.times++;
      else found.set(key, { first: entry, times: 1 });
    }
  }
  return [...found].map(([key, { first, times }]) => {
    const others = times > 1 ? `, and in ${more(times - 1)} more` : "";
    const problem = `${first.placeOf(key)}: unknown key ${JSON.stringify(key)}`;
    const meant = synonyms?.(key) ?? nearest(key, known);
    if (meant === undefined) return `${problem} ignored${others}`;
    throw new RalphError("RALPH_IMPORT_UNKNOWN_KEY", `${problem}${others}`, {
      hint: `did you mean ${meant}?`,
    });
  });
}
