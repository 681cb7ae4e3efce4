import type { TextTokens } from "./tokenize.ts";

/** A word, path, package, file name or dotted name, with its separators. */
const anyName = /(?:@[\w.-]+\/)?[A-Za-z0-9_$][\w$]*(?:[./:-]+[\w$]+)*/g;
/** Marks of a name that a word of a sentence has not: a folder, an extension, inner capitals, an underscore, a digit. */
const isName = [
  /^[\w@.-]*\/[\w./-]+$/,
  /[A-Za-z].*\.\w{1,5}$/,
  /[a-z\d][A-Z]/,
  /\w_\w/,
  /[A-Za-z]\d|\d[A-Za-z]/,
  /^E[A-Z]{5,}$/,
];
const minNameLength = 4;
const maxNameLength = 120;
/** A pasted log may name anything. */
const maxChars = 4000;
const maxNames = 40;

/** Returns the identifiers, files, packages and error codes that a text names, in lower case. */
export function namesIn(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [raw] of text.slice(0, maxChars).matchAll(anyName)) {
    if (raw.length < minNameLength || raw.length > maxNameLength) continue;
    if (isName.some((form) => form.test(raw))) names.add(raw.toLowerCase());
    if (names.size >= maxNames) break;
  }
  return names;
}

/** Words in a row that two texts must share to have the same message. */
export const runLength = 4;

/** Returns the runs of four stems of some texts, each as one string. */
export function runsIn(texts: readonly TextTokens[]): ReadonlySet<string> {
  const runs = new Set<string>();
  for (const { words } of texts) for (const run of runsOf(words)) runs.add(run.join(" "));
  return runs;
}

/** Yields each four words in a row. */
export function* runsOf(words: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at + runLength <= words.length; at += 1) yield words.slice(at, at + runLength);
}

/** Returns a text in lower case, with one space for all between its words, and at both ends. */
export function plainWords(text: string): string {
  return ` ${text
    .slice(0, maxChars)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()} `;
}

/** A quotation in one line. */
const quotation = /["“”«„`]([^"“”«»„`\n]{6,200})["“”»`]/g;
/** Fewest words of a quoted message: two are a name or a phrase. */
const minQuoted = 3;

/** Returns the messages that a text quotes, as `plainWords` has them. */
export function quotedMessages(text: string): readonly string[] {
  const found: string[] = [];
  for (const [, quoted = ""] of text.slice(0, maxChars).matchAll(quotation)) {
    const plain = plainWords(quoted);
    if (plain.trim().split(" ").length >= minQuoted) found.push(plain);
  }
  return found;
}
