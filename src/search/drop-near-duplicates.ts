import type { SearchHit } from "./search.ts";
import { tokenize } from "./tokenize.ts";

/** Two texts are near-duplicates above this Jaccard similarity of their word sets. */
const duplicateAbove = 0.8;

/** Returns the hits without near-duplicates: of hits that share over 80% of their words, the best ranked is kept. */
export function dropNearDuplicates(hits: readonly SearchHit[]): readonly SearchHit[] {
  const kept: { hit: SearchHit; words: ReadonlySet<string> }[] = [];
  for (const hit of hits) {
    const { title, body } = hit.document;
    const words = new Set([...tokenize(title).words, ...tokenize(body).words]);
    if (!kept.some((other) => isNearDuplicate(other.words, words))) kept.push({ hit, words });
  }
  return kept.map(({ hit }) => hit);
}

/** Reports whether the Jaccard similarity of two word sets is above `duplicateAbove`. */
function isNearDuplicate(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  // both / (a + b - both) > s, solved for both, gives how many words of the smaller set the larger may lack.
  let misses = small.size - (duplicateAbove * (a.size + b.size)) / (1 + duplicateAbove);
  if (misses <= 0) return false;
  for (const word of small) {
    if (large.has(word)) continue;
    misses -= 1;
    if (misses <= 0) return false;
  }
  return true;
}
