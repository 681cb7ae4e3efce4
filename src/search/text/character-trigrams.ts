/** Longer texts are cut: their first lines tell what they are about. UTF-16 units. */
const maxChars = 1500;

/** Runs of four characters of one text, each once, as 32-bit numbers. Open addressing: more places than runs. */
const places = 4096;
const table = new Int32Array(places);
const stamps = new Int32Array(places);
let stamp = 0;
const prime = 0x01000193;

/** The distinct runs of four characters of a text, in lower case, all between words as one blank. */
export function trigrams(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  eachTrigram(text, (gram) => found.add(gram));
  return found;
}

/** The cosine of a text's runs and the wanted ones: 0 to 1. */
export function sharedTrigrams(wanted: ReadonlySet<number>, text: string): number {
  let both = 0;
  const size = eachTrigram(text, (gram) => {
    if (wanted.has(gram)) both += 1;
  });
  return both === 0 ? 0 : both / Math.sqrt(wanted.size * size);
}

/** Calls `take` with each distinct run, and tells how many there are. */
function eachTrigram(text: string, take: (gram: number) => void): number {
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
    if (!isFirst(gram)) continue;
    size += 1;
    take(gram);
  }
  return size;
}

function isFirst(gram: number): boolean {
  let at = (gram ^ (gram >>> 15)) & (places - 1);
  while (stamps[at] === stamp) {
    if (table[at] === gram) return false;
    at = (at + 1) & (places - 1);
  }
  stamps[at] = stamp;
  table[at] = gram;
  return true;
}

/** FNV-1 of four UTF-16 units. */
function hashOf(a: number, b: number, c: number, d: number): number {
  const ab = Math.imul(a, prime) ^ b;
  return Math.imul(Math.imul(ab, prime) ^ c, prime) ^ d;
}
