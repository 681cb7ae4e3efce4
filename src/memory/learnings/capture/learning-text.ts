import { sha256 } from "../../../base/hash.ts";
import { clip, oneLine } from "../../../base/text.ts";
import { redact } from "../../../trust/redact.ts";
import { stripControls } from "../../../trust/terminal.ts";
import { detailChars, lessonChars } from "../learning.ts";

/** What says nothing (LEARN-10). */
const empty =
  /^(?:none|n a|nothing|nothing (?:new|to (?:add|report|note|learn))|no (?:new )?(?:learnings?|lessons?|insights?|comment)|nil|null|tbd|todo|not applicable|see above|what you learned.*)$/;
const minChars = 20;

/** `text` for comparing: letters and digits in lower case, everything else one space. */
export function normalised(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Equal for texts that say the same in the same words. */
export function contentHash(lesson: string, detail: string): string {
  return sha256(`${normalised(lesson)}\n${normalised(detail)}`).slice(0, 32);
}

/** Whether a text is worth keeping: not a phrase for nothing, at least 20 characters. */
export function isSubstantive(text: string): boolean {
  const plain = normalised(text);
  return oneLine(text).length >= minChars && plain.length > 0 && !empty.test(plain);
}

/** Foreign text as it is kept: secrets and control characters taken out, before anything is cut. */
export function storableText(text: string): string {
  return stripControls(redact(text)).trim();
}

/** One text as a lesson within 280 characters, whole sentences where that can be, and what is left as its detail. */
export function splitLesson(text: string): { readonly lesson: string; readonly detail: string } {
  const line = oneLine(text);
  if (line.length <= lessonChars) return { lesson: line, detail: "" };
  const end = lastSentenceEnd(line.slice(0, lessonChars + 1));
  if (end >= minChars) {
    return { lesson: line.slice(0, end), detail: clip(line.slice(end).trim(), detailChars) };
  }
  const space = line.lastIndexOf(" ", lessonChars - 1);
  const lesson = `${line.slice(0, space > minChars ? space : lessonChars - 1)}…`;
  return { lesson: clip(lesson, lessonChars), detail: clip(text.trim(), detailChars) };
}

function lastSentenceEnd(text: string): number {
  let end = 0;
  for (const match of text.matchAll(/[.!?](?=\s)/g)) end = match.index + 1;
  return end;
}

/** From here on two texts count as the same (LEARN-4). */
const sameWords = 0.8;
/** One of these more or less makes another lesson of the same words: a number, a version, a negation. */
const turning = /^(?:\p{N}.*|v\d.*|no|not|never|dont|cannot|t|without|unless|instead)$/u;

/** Whether both say the same, hardly changed: over 80% of their words shared, and none of the others turns the sense. */
export function isSameStatement(a: string, b: string): boolean {
  const [left, right] = [new Set(normalised(a).split(" ")), new Set(normalised(b).split(" "))];
  const apart = [
    ...[...left].filter((word) => !right.has(word)),
    ...[...right].filter((word) => !left.has(word)),
  ];
  const shared = (left.size + right.size - apart.length) / 2;
  return shared / (shared + apart.length) > sameWords && !apart.some((word) => turning.test(word));
}

/** At most `max` tags: one line each, none twice, none empty. */
export function tidyTags(tags: readonly string[], max = 40): readonly string[] {
  const clean = tags.map((tag) => clip(oneLine(storableText(tag)), 120)).filter(Boolean);
  return [...new Set(clean)].slice(0, max);
}
