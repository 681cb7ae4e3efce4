import { sha256 } from "../../../base/hash.ts";
import { type SafeText, safe } from "../../../base/safe-text.ts";
import { clip, firstChars, oneLine } from "../../../base/text.ts";
import { withoutQuotes } from "../../../search/query.ts";
import { safeText } from "../../../trust/safe-text.ts";
import type { Learning } from "./learning.ts";
import { categoryChars, detailChars, lessonChars, whenChars } from "./learning.ts";

/** Phrases without content (LEARN-10). */
const emptyPhrase =
  /^(?:none|n a|nothing|nothing (?:new|to (?:add|report|note|learn))|no (?:new )?(?:learnings?|lessons?|insights?|comment)|nil|null|tbd|todo|not applicable|see above|what you learned.*)$/;
const minChars = 20;

/** Returns `text` for comparison: letters and digits in lower case, everything else as single spaces. */
export function normalised(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Returns a hash that is equal for texts with the same words in the same order. */
export function contentHash(lesson: string, detail: string): string {
  return sha256(`${normalised(lesson)}\n${normalised(detail)}`).slice(0, 32);
}

/** Reports whether a text is worth storing: at least 20 characters, and not a phrase without content. */
export function isSubstantive(text: string): boolean {
  const plain = normalised(text);
  return oneLine(text).length >= minChars && plain.length > 0 && !emptyPhrase.test(plain);
}

/** Returns outside text without secrets and control characters. Call it before cutting the text. */
export function storableText(text: string): SafeText {
  return safeText(text).trim();
}

/** Splits a text into a lesson of at most 280 characters, of whole sentences if possible, and the rest as its detail. */
export function splitLesson(text: SafeText): { readonly lesson: SafeText; readonly detail: SafeText } {
  const line = oneLine(text);
  if (line.length <= lessonChars) return { lesson: line, detail: safe`` };
  const end = lastSentenceEnd(line.slice(0, lessonChars + 1));
  if (end >= minChars) {
    return { lesson: line.slice(0, end), detail: clip(line.slice(end).trim(), detailChars) };
  }
  const space = line.lastIndexOf(" ", lessonChars - 1);
  const lesson = safe`${firstChars(line, space > minChars ? space : lessonChars - 1)}…`;
  return { lesson: clip(lesson, lessonChars), detail: clip(text.trim(), detailChars) };
}

function lastSentenceEnd(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?](?=\s)/g)) end = match.index + 1;
  return end;
}

/** Above this share of common words two texts are the same statement (LEARN-4). */
const sameWords = 0.8;
/** A word that changes the meaning of a statement: a number, a version, a negation. */
const decisive = /^(?:\p{N}.*|v\d.*|no|not|never|dont|cannot|t|without|unless|instead)$/u;

/** Reports whether two texts are the same statement: over 80% of the words are common, and no other word is decisive. */
export function isSameStatement(a: string, b: string): boolean {
  const [left, right] = [new Set(normalised(a).split(" ")), new Set(normalised(b).split(" "))];
  const different = [
    ...[...left].filter((word) => !right.has(word)),
    ...[...right].filter((word) => !left.has(word)),
  ];
  const shared = (left.size + right.size - different.length) / 2;
  return shared / (shared + different.length) > sameWords && !different.some((word) => decisive.test(word));
}

/** Returns a category or topic on one line; "" when it is blank. */
export function storableName(text: string): SafeText {
  return clip(oneLine(storableText(text)), categoryChars);
}

/** Returns when a learning applies, on one line, without the word `when` that it may begin with. */
export function storableWhen(text: string): SafeText {
  const line = oneLine(storableText(text));
  return clip(line.slice(/^when\b:?\s*/i.exec(line)?.[0].length ?? 0), whenChars);
}

/** Returns at most `max` distinct, non-empty tags, each on one line and without quotes. */
export function tidyTags(tags: readonly string[], max = 40): readonly SafeText[] {
  return tidyNames(tags.map(withoutQuotes), max);
}

/** Returns at most `max` distinct, non-empty names, such as those of files, each on one line. */
export function tidyNames(names: readonly string[], max: number): readonly SafeText[] {
  const clean = names.map((name) => clip(oneLine(storableText(name)), 120)).filter((name) => name !== "");
  return [...new Set(clean)].slice(0, max);
}

/** Reports whether a text repeats a part of the prompt (normalised) or, hardly changed, a learning that it showed (LEARN-10). */
export function isRestated(text: string, prompt: string, shown: readonly Learning[]): boolean {
  if (prompt.includes(normalised(text)) || shown.some(({ id }) => text.includes(id))) return true;
  return restatedLearning(text, shown) !== undefined;
}

/** Returns the first shown learning that `text` repeats, hardly changed. */
export function restatedLearning(text: string, shown: readonly Learning[]): Learning | undefined {
  const plain = normalised(text);
  return shown.find(
    ({ lesson, detail }) => isSameStatement(plain, lesson) || isSameStatement(plain, `${lesson} ${detail}`),
  );
}
