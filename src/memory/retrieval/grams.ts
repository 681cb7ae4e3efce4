/** The distinct runs of four characters of a text, in lower case, white space as one blank. */
export function grams(text: string): ReadonlySet<string> {
  const plain = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ");
  const found = new Set<string>();
  for (let i = 0; i + 4 <= plain.length; i += 1) found.add(plain.slice(i, i + 4));
  return found;
}

/** The cosine of two sets: 0 to 1. */
export function sharedGrams(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let both = 0;
  for (const gram of small) if (large.has(gram)) both += 1;
  return both / Math.sqrt(a.size * b.size);
}
