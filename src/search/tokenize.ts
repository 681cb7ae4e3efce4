import { functionWordsIn, stopWords } from "./function-words.ts";
import { hasUnspaced, unspaced } from "./scripts.ts";
import { stem } from "./stem.ts";

/** Longer texts are cut, in UTF-16 units: a description may be a whole log. */
const maxChars = 20_000;
const maxWordLength = 64;

/** A word or an identifier. */
const anyToken = /[\p{L}\p{M}\p{N}_]+/gu;
/** The same for a text in ASCII, in a fifth of the time. */
const asciiToken = /\w+/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const isAscii = /^[\x00-\x7f]*$/;
const boundary = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|_+/u;
const structured = /_|[\p{Ll}\p{N}]\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
/** The tokens of a text. */
export interface TextTokens {
  /** Stemmed words in the order of the text, without stop words. */
  readonly words: readonly string[];
  /** Parts of identifiers and whole identifiers, in lower case: `parseConfig` gives all three. */
  readonly parts: readonly string[];
}

/** Splits a text into words and the parts of its identifiers. Accepts any text, takes linear time, never throws. */
export function tokenize(text: string): TextTokens {
  if (text.length > maxCachedLength) return split(text);
  const cached = textCache.get(text);
  if (cached) return cached;
  if (textCache.size >= maxCachedTexts) textCache.clear();
  const tokens = split(text);
  textCache.set(text, tokens);
  return tokens;
}

/** Tokens of recent texts: a run tokenises the same ones repeatedly. */
const textCache = new Map<string, TextTokens>();
const maxCachedTexts = 1000;
const maxCachedLength = 2000;

function split(text: string): TextTokens {
  const words: string[] = [];
  const parts: string[] = [];
  const read = text.slice(0, maxChars);
  const tokens = (isAscii.test(read) ? read.match(asciiToken) : read.normalize("NFKC").match(anyToken)) ?? [];
  const isIgnored = functionWordsIn(tokens);
  for (const raw of tokens) {
    if (isIgnored?.(raw)) continue;
    const found = wordCache.get(raw) ?? tokensOf(raw);
    if (typeof found === "string") {
      if (found !== "") words.push(found);
    } else {
      words.push(...found.words);
      parts.push(...found.parts);
    }
  }
  return { words, parts };
}

/** Tokens of each distinct word or identifier. A plain word has one token as a string, "" for a stop word. */
const wordCache = new Map<string, string | TextTokens>();
const maxCachedWords = 50_000;

function tokensOf(raw: string): string | TextTokens {
  if (raw.length > maxWordLength)
    return hasUnspaced.test(raw) ? { words: characterPairs(raw), parts: [] } : "";
  if (wordCache.size >= maxCachedWords) wordCache.clear();
  // Copied: in V8 a longer substring keeps the whole text in memory. Shorter ones are copied anyway.
  const copy = raw.length < 13 ? raw : Buffer.from(raw).toString();
  const tokens = splitToken(copy);
  wordCache.set(copy, tokens);
  return tokens;
}

function splitToken(raw: string): string | TextTokens {
  // The fast path for most words.
  if (/^[a-z0-9]+$/.test(raw)) return stopWords.has(raw) ? "" : stem(raw);
  if (hasUnspaced.test(raw)) return { words: characterPairs(raw), parts: [] };
  if (structured.test(raw)) return splitIdentifier(raw);
  const word = normalize(raw);
  return stopWords.has(word) ? "" : stem(word);
}

function splitIdentifier(raw: string): TextTokens {
  const words: string[] = [];
  const parts: string[] = [];
  const segments = raw.split(boundary).filter(Boolean);
  const whole = normalize(raw).replaceAll("_", "");
  // Segments between underscores are the words of the text; an identifier in camel case is one word.
  if (raw.includes("_")) for (const segment of segments) pushWord(words, segment);
  else words.push(whole);
  for (const segment of segments) pushWord(parts, segment);
  if (segments.length > 1) parts.push(whole);
  return { words, parts };
}

function pushWord(to: string[], raw: string): void {
  const word = normalize(raw);
  if (word !== "" && !stopWords.has(word)) to.push(stem(word));
}

/** Returns a word in lower case, without accents. */
function normalize(raw: string): string {
  const lower = raw.toLowerCase();
  // ASCII has no accents.
  return isAscii.test(lower) ? lower : lower.normalize("NFD").replace(/\p{Mn}/gu, "");
}

/** Splits text in a script without spaces into overlapping pairs of characters, and the text between into words. */
function characterPairs(raw: string): readonly string[] {
  const found: string[] = [];
  let end = 0;
  for (const match of raw.matchAll(unspaced)) {
    if (match.index > end) pushWord(found, raw.slice(end, match.index));
    const characters = [...match[0]];
    if (characters.length === 1) found.push(match[0]);
    for (let i = 1; i < characters.length; i += 1) found.push(`${characters[i - 1]}${characters[i]}`);
    end = match.index + match[0].length;
  }
  if (end < raw.length) pushWord(found, raw.slice(end));
  return found;
}

/** Returns the token of an error signature, which no text contains; "" for none. */
export function errorToken(signature: string | null): string {
  return signature ? `error\u00b7${asWord(signature)}` : "";
}

/** Returns the token of a task's id; "" for none. */
export function taskToken(taskId: string | null): string {
  return taskId ? `task\u00b7${asWord(taskId)}` : "";
}

const asWord = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "\u00b7");

/** Returns the labels of a document or query: its tags in lower case, and the folders of its files, such as `src/mail/`. */
export function labelsOf({
  tags,
  files,
}: {
  readonly tags: readonly string[];
  readonly files: readonly string[];
}): ReadonlySet<string> {
  const folders = files.map((file) => file.slice(0, file.lastIndexOf("/") + 1));
  return new Set([...tags.map((tag) => tag.trim().toLowerCase()), ...folders].filter(Boolean));
}
