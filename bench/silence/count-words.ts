import type { SearchDocument } from "../../src/search/document.ts";
import { tokenize } from "../../src/search/tokenize.ts";
import type { DataSet } from "../retrieval/data-set.ts";
import { asLesson } from "./draw-stores.ts";

/** Share of lessons from which a word is known in a project, and the number of projects from which it is known in any. */
const common = { each: 0.0003, projects: 3 };
/** Share of lessons at and below which a word is as rare as one that is not listed. */
const rarest = 0.0001;

/**
 * Returns the stems that are common in the lessons of several unrelated sets, by their rarity: 0 for a stem in every lesson, 1
 * for one that is not common. Sets that share documents count as one. `related`: the sets that share documents with a set.
 */
export function countWords(
  sets: readonly DataSet[],
  related: (set: string) => ReadonlySet<string>,
): Readonly<Record<string, string>> {
  const groups = new Map<string, DataSet[]>();
  for (const set of sets) {
    const key = [...related(set.name)].toSorted().join(" ");
    groups.set(key, [...(groups.get(key) ?? []), set]);
  }
  const shares = [...groups.values()].map((group) => sharesIn(group.flatMap((set) => set.documents)));
  const words = new Map<string, string[]>();
  for (const word of new Set(shares.flatMap((one) => [...one.keys()]))) {
    const found = shares.map((one) => one.get(word) ?? 0);
    const mean = found.reduce((sum, share) => sum + share, 0) / found.length;
    if (found.filter((share) => share >= common.each).length < common.projects) continue;
    const level = (Math.log(mean) / Math.log(rarest)).toFixed(1);
    words.set(level, [...(words.get(level) ?? []), word]);
  }
  return Object.fromEntries(
    [...words].toSorted().map(([level, stems]) => [level, stems.toSorted().join(" ")]),
  );
}

/** Returns the share of documents, cut to lessons, that have each stem. */
function sharesIn(documents: readonly SearchDocument[]): ReadonlyMap<string, number> {
  const shares = new Map<string, number>();
  for (const document of documents) {
    const { words, parts } = tokenize(asLesson(document).title);
    for (const word of new Set([...words, ...parts]))
      shares.set(word, (shares.get(word) ?? 0) + 1 / documents.length);
  }
  return shares;
}
