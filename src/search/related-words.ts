import type { Reader } from "../store/port/db.ts";
import { readPostingLists } from "./posting-store.ts";
import { wordsContaining, wordsStartingWith } from "./trigram-store.ts";
import {
  areForms,
  commonStem,
  compoundBeginning,
  mayHaveForms,
  otherBeginnings,
  otherSpellings,
  type Split,
  splitsOf,
} from "./word-forms.ts";

/** Weight of another form of an unknown word, relative to it. */
export const formShare = 0.8;
/** The same of the parts of a compound: of both, and of one alone. */
const share = { part: 0.5, onePart: 0.3 };
/** Weight of a word that contains an unknown one. */
const containing = { weight: 0.5, max: 5 };
/** Limits per unknown word; `singlePart` is the shortest part of a compound that counts without the other one. */
const limits = { forms: 5, startingWith: 40, splits: 4, singlePart: 5 };

/** A word of a query that no document contains. */
export interface UnknownWord {
  readonly word: string;
  /** Its weight in the query. */
  readonly weight: number;
  /** A long description has enough words without the parts of its compounds. */
  readonly inTitle: boolean;
}

/**
 * Returns indexed words for one that no document contains, with their weights: its other forms (`Rechnung` for
 * `Rechnungen`), the parts of a compound, and words that contain it.
 */
export async function relatedWords(
  q: Reader,
  { word, weight, inTitle }: UnknownWord,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  const add = (words: readonly string[], by: number): void => {
    for (const one of words) if (!found.has(one)) found.set(one, by);
  };
  const forms = await formsOf(q, word);
  add(forms, formShare * weight);
  if (forms.length === 0 && inTitle && mayHaveForms(word)) {
    const { words, share: by } = await partsOrOther(q, word);
    add(words, by * weight);
  }
  add(await wordsContaining(q, word, containing.max), containing.weight);
  return found;
}

/** Returns the parts of a compound; else the word's forms in another spelling; else words that begin like it. */
async function partsOrOther(
  q: Reader,
  word: string,
): Promise<{ readonly words: readonly string[]; readonly share: number }> {
  const { words, complete } = await partsOf(q, word);
  if (words.length > 0) return { words, share: complete ? share.part : share.onePart };
  const forms: string[] = [];
  for (const other of [...otherSpellings(word), ...otherBeginnings(word)])
    for (const one of await formsOf(q, other)) forms.push(one);
  if (forms.length > 0) return { words: forms, share: formShare };
  return { words: await compoundsLike(q, word), share: share.onePart };
}

async function formsOf(q: Reader, word: string): Promise<readonly string[]> {
  if (!mayHaveForms(word)) return [];
  const near = await wordsStartingWith(q, commonStem(word), limits.startingWith);
  return near.filter((other) => areForms(word, other)).slice(0, limits.forms);
}

async function compoundsLike(q: Reader, word: string): Promise<readonly string[]> {
  const beginning = compoundBeginning(word);
  if (beginning.length >= word.length) return [];
  return (await wordsStartingWith(q, beginning, limits.startingWith)).slice(0, limits.forms);
}

interface Parts {
  readonly words: readonly string[];
  /** Both parts of the compound are in the index. */
  readonly complete: boolean;
}

/**
 * Finds the parts of a compound in the index, in whatever form. `maxParts` bounds its length: `Kundenkontolöschung` has
 * three.
 */
async function partsOf(q: Reader, word: string, maxParts = 3): Promise<Parts> {
  const splits = splitsOf(word);
  const parts = [...new Set(splits.flatMap(({ first, second }) => [first, second]))];
  const known = new Set((await readPostingLists(q, parts)).map((list) => list.word));
  const [both] = bestOf(splits.filter(({ first, second }) => known.has(first) && known.has(second)));
  if (both) return { words: [both.first, both.second], complete: true };
  const halves = [
    ...bestOf(splits.filter(({ first }) => known.has(first))).map(({ first, second }) => ({
      part: first,
      rest: second,
    })),
    ...bestOf(splits.filter(({ second }) => known.has(second))).map(({ first, second }) => ({
      part: second,
      rest: first,
    })),
  ];
  for (const { part, rest } of halves) {
    const others = await formsOf(q, rest);
    if (others.length > 0) return { words: [part, ...others], complete: true };
  }
  for (const { part, rest } of maxParts > 2 ? halves : []) {
    const others = await partsOf(q, rest, maxParts - 1);
    if (others.complete) return { words: [part, ...others.words], complete: true };
  }
  const single = new Set(halves.map(({ part }) => part).filter((part) => part.length >= limits.singlePart));
  return { words: [...single], complete: false };
}

/** Returns the splits whose shorter parts are longest: short words are in many others by chance. */
function bestOf(splits: readonly Split[]): readonly Split[] {
  const shorter = ({ first, second }: Split): number => Math.min(first.length, second.length);
  const longest = Math.max(...splits.map(shorter));
  return splits.filter((split) => shorter(split) === longest).slice(0, limits.splits);
}
