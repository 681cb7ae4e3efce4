import type { SearchHit } from "./search.ts";
import { wordsOf } from "./text/words.ts";

/** Two texts that share more of their words than this are one. */
const duplicateAbove = 0.8;

/** The hits without near-duplicates: of those that share over 80% of their words, the better ranked stays. */
export function distinct(hits: readonly SearchHit[]): readonly SearchHit[] {
  const kept: { hit: SearchHit; words: ReadonlySet<string> }[] = [];
  for (const hit of hits) {
    const { title, body } = hit.document;
    const words = new Set([...wordsOf(title).words, ...wordsOf(body).words]);
    if (!kept.some((other) => areAlike(other.words, words))) kept.push({ hit, words });
  }
  return kept.map(({ hit }) => hit);
}

/** Whether more than `sameAbove` of the words of either are words of both. */
function areAlike(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  // both / (a + b - both) > s, solved for both: how many of the smaller's words may be missing in the larger.
  let misses = small.size - (duplicateAbove * (a.size + b.size)) / (1 + duplicateAbove);
  if (misses <= 0) return false;
  for (const word of small) {
    if (large.has(word)) continue;
    misses -= 1;
    if (misses <= 0) return false;
  }
  return true;
}
