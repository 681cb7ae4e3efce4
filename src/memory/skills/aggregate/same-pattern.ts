import type { Pattern } from "./read-pattern.ts";
import { compareSides } from "./roles.ts";

/** The least weighted Jaccard similarity of two wordings of one lesson. */
export const minSimilarity = 0.7;
/** Words of this weight or more are not interchangeable: a word on each side that the other lacks is a different lesson. */
const plainWeight = 1;

/**
 * Returns how similar two patterns are, 0 to 1: 0 unless they are the same lesson in other words. Identifiers, numbers,
 * negation and order must agree; all other words must be the same but for inflection, synonyms and fillers, or one
 * pattern may have a few that the other lacks. Symmetric.
 */
export function similarity(a: Pattern, b: Pattern): number {
  if (a.key === b.key) return 1;
  if (a.bucket !== b.bucket) return 0;
  const words = wordSimilarity(a, b);
  if (words < minSimilarity) return 0;
  const agree = sameIdentifiers(a, b) && sameIdentifiers(b, a) && sameSides(a, b) && !numbersSwapped(a, b);
  return agree ? words : 0;
}

function wordSimilarity(a: Pattern, b: Pattern): number {
  // What one text may lack at most, so that the rest can still be similar enough.
  const most = Math.max(a.total, b.total) * (1 - minSimilarity);
  if (Math.abs(a.total - b.total) > most) return 0;
  const onlyA = missing(a, b, most);
  const onlyB = missing(b, a, most);
  const shared = a.total - onlyA.weight;
  if (shared < plainWeight) return 0;
  if (onlyA.weight > 0 && onlyB.weight > 0 && (onlyA.hasPlain || onlyB.hasPlain)) {
    const genericOnly = (onlyA.hasPlain ? onlyB : onlyA).isGeneric && onlyA.hasPlain !== onlyB.hasPlain;
    if (!genericOnly) return 0;
  }
  return shared / (shared + onlyA.weight + onlyB.weight);
}

interface Missing {
  readonly weight: number;
  readonly hasPlain: boolean;
  readonly isGeneric: boolean;
}

/** Weighs the words of `a` that `b` lacks; stops once they weigh more than `most`. */
function missing(a: Pattern, b: Pattern, most: number): Missing {
  let weight = 0;
  let hasPlain = false;
  let isGeneric = true;
  for (const [part, own] of a.weights) {
    if (b.weights.has(part)) continue;
    weight += own;
    hasPlain ||= own >= plainWeight;
    isGeneric &&= own < 0.4;
    if (weight > most) break;
  }
  return { weight, hasPlain, isGeneric };
}

/** Reports whether `b` has all identifiers of `a` as they are written; an ordinary word may be written in other case. */
function sameIdentifiers(a: Pattern, b: Pattern): boolean {
  for (const [key, forms] of a.identifiers) {
    const others = b.identifiers.get(key);
    if (others === undefined) {
      if (!b.written.has(key)) return false;
    } else if (forms.size !== others.size || [...forms].some((form) => !others.has(form))) return false;
  }
  return true;
}

/**
 * Reports whether both reject the same and have the same order. As a side remark may stand inside or outside of a
 * negation (`in tests, do not …`), words may differ in one direction if both reject something in common.
 */
function sameSides(a: Pattern, b: Pattern): boolean {
  const { bothReject, polarityDiffers, swapped } = compareSides(a.roles, b.roles);
  if (swapped || (a.bucket.startsWith("-") && !bothReject)) return false;
  return !polarityDiffers || a.negations === b.negations;
}

/** Reports whether a number stands beside the words that another number stands beside in `b`. */
function numbersSwapped(a: Pattern, b: Pattern): boolean {
  if (a.numbers.size < 2) return false;
  const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string> | undefined): boolean =>
    other !== undefined && [...one].some((part) => other.has(part));
  for (const [number, beside] of a.numbers) {
    if (overlap(beside, b.numbers.get(number))) continue;
    for (const [other, words] of b.numbers) if (other !== number && overlap(words, beside)) return true;
  }
  return false;
}
