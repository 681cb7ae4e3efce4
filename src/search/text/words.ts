import { stem } from "./stem.ts";
import { stopWords } from "./stop-words.ts";

/** More of one text is not looked at: a description may be a whole log. UTF-16 units. */
const maxChars = 20_000;
const maxWordLength = 64;

/** A word, or a path, a call, a name with dots: looked at as one and in its parts. */
const token = /[\p{L}\p{M}\p{N}_]+/gu;
/** The same of a text in ASCII, in a fifth of the time. */
const plainToken = /\w+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const isAscii = /^[\x00-\x7f]*$/;
const boundary = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|_+/u;
const structured = /_|[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
/** Scripts without spaces between words, and Hangul, whose words carry their particles. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
const hasUnspaced = new RegExp(unspaced.source, "u");

/** A text as the index sees it. */
export interface Words {
  /** In their order, stemmed, without stop words. */
  readonly words: readonly string[];
  /** The parts of identifiers, and identifiers as a whole, in lower case: `parseConfig` gives all three. */
  readonly parts: readonly string[];
}

/** Splits a text into words and the parts of its identifiers. Takes any text: linear, never throws. */
export function wordsOf(text: string): Words {
  if (text.length > keptLength) return split(text);
  const before = wordCache.get(text);
  if (before) return before;
  if (wordCache.size >= maxCacheEntries) wordCache.clear();
  const words = split(text);
  wordCache.set(text, words);
  return words;
}

/** The texts that were split last: a run looks at the same ones again and again. */
const wordCache = new Map<string, Words>();
const maxCacheEntries = 1000;
const keptLength = 2000;

function split(text: string): Words {
  const words: string[] = [];
  const parts: string[] = [];
  const read = text.slice(0, maxChars);
  const tokens = isAscii.test(read) ? read.match(plainToken) : read.normalize("NFKC").match(token);
  for (const raw of tokens ?? []) {
    const taken = known.get(raw) ?? cachedWords(raw);
    if (typeof taken === "string") {
      if (taken !== "") words.push(taken);
    } else {
      words.push(...taken.words);
      parts.push(...taken.parts);
    }
  }
  return { words, parts };
}

/** Texts say the same words over and over: what each gives is kept. A plain word gives itself, or "". */
const known = new Map<string, string | Words>();
const knownAtMost = 50_000;

function cachedWords(raw: string): string | Words {
  if (raw.length > maxWordLength) return hasUnspaced.test(raw) ? { words: pairsIn(raw), parts: [] } : "";
  if (known.size >= knownAtMost) known.clear();
  // A copy: a longer piece of a text would keep the whole text in memory (V8 copies shorter ones itself).
  const own = raw.length < 13 ? raw : Buffer.from(raw).toString();
  const taken = wordsFrom(own);
  known.set(own, taken);
  return taken;
}

function wordsFrom(raw: string): string | Words {
  // Most words by far.
  if (/^[a-z0-9]+$/.test(raw)) return stopWords.has(raw) ? "" : stem(raw);
  if (hasUnspaced.test(raw)) return { words: pairsIn(raw), parts: [] };
  if (structured.test(raw)) return identifier(raw);
  const word = plain(raw);
  return stopWords.has(word) ? "" : stem(word);
}

function identifier(raw: string): Words {
  const words: string[] = [];
  const parts: string[] = [];
  const pieces = raw.split(boundary).filter(Boolean);
  const whole = plain(raw).replaceAll("_", "");
  // With underscores, the pieces are the words of the text; in camel case, people write and say the whole.
  if (raw.includes("_")) for (const piece of pieces) push(words, piece);
  else words.push(whole);
  for (const piece of pieces) push(parts, piece);
  if (pieces.length > 1) parts.push(whole);
  return { words, parts };
}

function push(to: string[], raw: string): void {
  const word = plain(raw);
  if (word !== "" && !stopWords.has(word)) to.push(stem(word));
}

/** Lower case, without accents. */
function plain(raw: string): string {
  const lower = raw.toLowerCase();
  // ASCII has no accents.
  return isAscii.test(lower) ? lower : lower.normalize("NFD").replace(/\p{Mn}/gu, "");
}

/** Runs of a script without spaces as overlapping pairs of characters, what stands between as words. */
function pairsIn(raw: string): readonly string[] {
  const found: string[] = [];
  let end = 0;
  for (const match of raw.matchAll(unspaced)) {
    if (match.index > end) push(found, raw.slice(end, match.index));
    const characters = [...match[0]];
    if (characters.length === 1) found.push(match[0]);
    for (let i = 1; i < characters.length; i += 1) found.push(`${characters[i - 1]}${characters[i]}`);
    end = match.index + match[0].length;
  }
  if (end < raw.length) push(found, raw.slice(end));
  return found;
}

/** One word for an error signature, which no text contains. */
export function errorToken(signature: string | null): string {
  return signature ? `error\u00b7${asWord(signature)}` : "";
}

/** One word for a task's id. */
export function taskToken(taskId: string | null): string {
  return taskId ? `task\u00b7${asWord(taskId)}` : "";
}

const asWord = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "\u00b7");

/** What someone filed a text under: its tags, whatever their case, and the folders of its files, as `src/mail/`. */
export function filedUnder({
  tags,
  files,
}: {
  readonly tags: readonly string[];
  readonly files: readonly string[];
}): ReadonlySet<string> {
  const folders = files.map((file) => file.slice(0, file.lastIndexOf("/") + 1));
  return new Set([...tags.map((tag) => tag.trim().toLowerCase()), ...folders].filter(Boolean));
}
