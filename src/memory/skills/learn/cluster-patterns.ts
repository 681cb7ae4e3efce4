import { patternKey } from "./pattern-key.ts";

/** A sentence that an agent reported, with the id of its record. */
export interface ReportedPattern {
  readonly id: string;
  readonly text: string;
}

/** Wordings of one lesson. */
export interface Cluster {
  /** The most frequent wording, of these the shortest. */
  readonly text: string;
  /** Sorted ids of the reported patterns. */
  readonly members: readonly string[];
  readonly count: number;
}

/**
 * Merges patterns that are the same lesson (`pattern-key.ts`), the most frequent clusters first. The order of the input
 * changes nothing. Takes linear time. Duplicate ids count once per text.
 */
export function clusterPatterns(patterns: readonly ReportedPattern[]): readonly Cluster[] {
  const wordings = new Map<string, string[]>();
  for (const { id, text } of patterns) addTo(wordings, text, id);
  const lessons = new Map<string, { readonly text: string; readonly ids: readonly string[] }[]>();
  for (const [text, ids] of wordings) addTo(lessons, patternKey(text), { text, ids });
  return [...lessons.values()]
    .map((same): Cluster => {
      const [best] = same.toSorted(
        (a, b) => b.ids.length - a.ids.length || a.text.length - b.text.length || byText(a.text, b.text),
      );
      const ids = same.flatMap((wording) => wording.ids);
      return { text: best?.text ?? "", members: [...new Set(ids)].sort(byText), count: ids.length };
    })
    .sort((a, b) => b.count - a.count || byText(a.text, b.text));
}

function addTo<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

/** Orders by code units: the same on every machine. */
function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
