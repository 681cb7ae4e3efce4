/** A title, prepared for comparisons. */
export interface ComparedTitle {
  readonly text: string;
  readonly trigrams: ReadonlySet<string>;
}

/** A longer title is compared by its beginning. */
const maxChars = 300;
/** The similarity of a title that is the beginning of the other one. */
const prefixSimilarity = 0.9;
const minPrefixChars = 8;

export function comparedTitle(title: string): ComparedTitle {
  const text = title.normalize("NFC").toLowerCase().replace(/\s+/g, " ").trim().slice(0, maxChars);
  const padded = `  ${text} `;
  const trigrams = new Set<string>();
  for (let at = 0; at + 3 <= padded.length; at++) trigrams.add(padded.slice(at, at + 3));
  return { text, trigrams };
}

/** Returns the similarity of two titles from 0 to 1: the Dice coefficient of their trigrams. */
export function similarity(a: ComparedTitle, b: ComparedTitle): number {
  const [short, long] = a.text.length <= b.text.length ? [a, b] : [b, a];
  if (short.text.length >= minPrefixChars && long.text.startsWith(short.text)) return prefixSimilarity;
  let shared = 0;
  for (const trigram of short.trigrams) if (long.trigrams.has(trigram)) shared++;
  return (2 * shared) / (a.trigrams.size + b.trigrams.size);
}
