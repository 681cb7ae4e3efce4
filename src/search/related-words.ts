import type { Reader } from "../store/port/db.ts";
import { readPostingLists, wordsContaining, wordsStartingWith } from "./posting-store.ts";
import { areForms, commonStem, mayHaveForms, splitsOf } from "./word-forms.ts";

/** Weight of another form of an unknown word, relative to it. */
export const formShare = 0.8;
/** The same of the parts of a compound: of both, and of one alone. */
const share = { part: 0.5, onePart: 0.3 };
/** Weight of a word that contains an unknown one. */
const containing = { weight: 0.5, max: 5 };
/** Limits per unknown word; `singlePart` is the shortest part of a compound that counts without the other one. */
const limits = { forms: 5, startingWith: 40, singlePart: 5 };

/** A word of a query that no document contains. */
export interface UnknownWord {
  readonly word: string;
  /** Its weight in the query. */
  readonly weight: number;
  /** A long description has enough words without the parts of its compounds. */
  readonly inTitle: boolean;
  /** True: a person may have typed a part of the word. */
  readonly mayBePart: boolean;
}

/**
 * Returns indexed words for one that no document contains, with their weights: its other forms (`Rechnung` for
 * `Rechnungen`), else the parts of a compound; and words that contain it.
 */
export async function relatedWords(
  q: Reader,
  { word, weight, inTitle, mayBePart }: UnknownWord,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const add = (words: readonly string[], by: number): void => {
    for (const one of words) if (!found.has(one)) found.set(one, by);
  };
  if (mayHaveForms(word)) {
    add(await formsOf(q, word), formShare * weight);
    if (found.size === 0 && inTitle) {
      const parts = await partsOf(q, word);
      add(parts, (parts.length > 1 ? share.part : share.onePart) * weight);
    }
  }
  if (mayBePart) add(await wordsContaining(q, word, containing.max), containing.weight);
  return found;
}

async function formsOf(q: Reader, word: string): Promise<readonly string[]> {
  const near = await wordsStartingWith(q, commonStem(word), limits.startingWith);
  return near.filter((other) => areForms(word, other)).slice(0, limits.forms);
}

/** Returns the parts of a compound in the index: both, or the longest one. Short words are in many others by chance. */
async function partsOf(q: Reader, word: string): Promise<readonly string[]> {
  const splits = splitsOf(word);
  const parts = [...new Set(splits.flat())];
  const known = new Set((await readPostingLists(q, parts)).map((list) => list.word));
  const shorter = (split: readonly string[]): number => Math.min(...split.map((part) => part.length));
  const [both] = splits
    .filter((split) => split.every((part) => known.has(part)))
    .toSorted((a, b) => shorter(b) - shorter(a));
  if (both) return both;
  const single = parts.filter((part) => known.has(part) && part.length >= limits.singlePart);
  return single.toSorted((a, b) => b.length - a.length).slice(0, 1);
}
