/** Longer texts are cut, in UTF-16 units: their first lines say what they are about. */
const maxChars = 1500;

/** Hash set of one text's 4-grams with open addressing, reused for every text. More slots than a text has 4-grams. */
const slots = 4096;
const table = new Int32Array(slots);
/** A slot is in use when it has the current stamp. */
const stamps = new Int32Array(slots);
let stamp = 0;
const prime = 0x01000193;

/** Returns the 32-bit hashes of a text's distinct 4-grams, in lower case, with one space between words. */
export function charNgrams(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  visitNgrams(text, (gram) => found.add(gram));
  return found;
}

/** Returns the cosine similarity, 0 to 1, of a text's 4-grams and the wanted ones. */
export function ngramSimilarity(wanted: ReadonlySet<number>, text: string): number {
  let both = 0;
  const size = visitNgrams(text, (gram) => {
    if (wanted.has(gram)) both += 1;
  });
  return both === 0 ? 0 : both / Math.sqrt(wanted.size * size);
}

/** Calls `visit` with each distinct 4-gram of a text and returns their number. */
function visitNgrams(text: string, visit: (gram: number) => void): number {
  const plain = text
    .slice(0, maxChars)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ");
  stamp = (stamp + 1) | 0;
  let size = 0;
  const end = Math.min(plain.length, maxChars + 3);
  let [a, b, c] = [plain.charCodeAt(0), plain.charCodeAt(1), plain.charCodeAt(2)];
  for (let at = 3; at < end; at += 1) {
    const d = plain.charCodeAt(at);
    const gram = hashOf(a, b, c, d);
    a = b;
    b = c;
    c = d;
    if (!addGram(gram)) continue;
    size += 1;
    visit(gram);
  }
  return size;
}

/** Adds a 4-gram to the hash set; false when it was there already. */
function addGram(gram: number): boolean {
  let at = (gram ^ (gram >>> 15)) & (slots - 1);
  while (stamps[at] === stamp) {
    if (table[at] === gram) return false;
    at = (at + 1) & (slots - 1);
  }
  stamps[at] = stamp;
  table[at] = gram;
  return true;
}

/** Returns the FNV-1 hash of four UTF-16 units. */
function hashOf(a: number, b: number, c: number, d: number): number {
  const ab = Math.imul(a, prime) ^ b;
  return Math.imul(Math.imul(ab, prime) ^ c, prime) ^ d;
}
