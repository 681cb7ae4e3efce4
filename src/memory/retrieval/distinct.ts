import type { Hit } from "./search.ts";
import { wordsOf } from "./words.ts";

/** Two texts that share more of their words than this are one. */
const sameAbove = 0.8;

/** The hits without near-duplicates: of those that share over 80% of their words, the better ranked stays. */
export function distinct(hits: readonly Hit[]): readonly Hit[] {
  const kept: { hit: Hit; words: ReadonlySet<string> }[] = [];
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
  let misses = small.size - (sameAbove * (a.size + b.size)) / (1 + sameAbove);
  if (misses <= 0) return false;
  for (const word of small) {
    if (large.has(word)) continue;
    misses -= 1;
    if (misses <= 0) return false;
  }
  return true;
}
