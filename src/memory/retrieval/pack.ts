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
    if (!kept.some((other) => overlap(other.words, words) > sameAbove)) kept.push({ hit, words });
  }
  return kept.map(({ hit }) => hit);
}

/** The share of the words of both that both have. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let both = 0;
  for (const word of small) if (large.has(word)) both += 1;
  const all = a.size + b.size - both;
  return all === 0 ? 0 : both / all;
}

interface PackRequest {
  /** At most so many items. */
  readonly limit: number;
  /** Characters for all texts together, a line break after each counted. */
  readonly budget: number;
  /** What must be whole or absent. */
  readonly lesson: (hit: Hit) => string;
  /** Follows the lesson where room is left; "" when there is none. */
  readonly detail?: (hit: Hit) => string;
}

interface Packed {
  readonly hit: Hit;
  readonly text: string;
}

/** Fills the budget with lessons, best first, each whole or not at all; then with details, again the best first. */
export function pack(hits: readonly Hit[], request: PackRequest): readonly Packed[] {
  const packed: { hit: Hit; text: string }[] = [];
  let room = request.budget;
  for (const hit of hits) {
    if (packed.length >= request.limit) break;
    const text = request.lesson(hit);
    if (text === "" || text.length + 1 > room) continue;
    packed.push({ hit, text });
    room -= text.length + 1;
  }
  for (const item of packed) {
    const detail = request.detail?.(item.hit) ?? "";
    if (detail === "" || detail.length > room) continue;
    item.text += detail;
    room -= detail.length;
  }
  return packed;
}
