/** Longer texts are cut, in UTF-16 units: their first lines say what they are about. */
const maxChars = 1500;
const prime = 0x01000193;

/** Returns the 32-bit hashes (FNV-1) of a text's distinct 4-grams, in lower case, with one space between words. */
export function charNgrams(text: string): ReadonlySet<number> {
  const plain = text
    .slice(0, maxChars)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ");
  const found = new Set<number>();
  for (let at = 3; at < plain.length; at += 1) {
    let hash = plain.charCodeAt(at - 3);
    for (let next = at - 2; next <= at; next += 1) hash = Math.imul(hash, prime) ^ plain.charCodeAt(next);
    found.add(hash);
  }
  return found;
}

/** Returns the cosine similarity, 0 to 1, of a text's 4-grams and the wanted ones. */
export function ngramSimilarity(wanted: ReadonlySet<number>, text: string): number {
  const own = charNgrams(text);
  let both = 0;
  for (const gram of own) if (wanted.has(gram)) both += 1;
  return both === 0 ? 0 : both / Math.sqrt(wanted.size * own.size);
}
