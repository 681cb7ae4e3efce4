import type { RedactedText, Safe, SafeText } from "./safe-text.ts";

/** Removes NUL and replaces lone surrogates, so that every database and pipe carries the text unchanged. */
export function cleanText(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

/** Cuts `text` to at most `max` UTF-16 units, never within a surrogate pair; `…` replaces what was cut. */
export function clip(text: SafeText, max: number): SafeText;
export function clip(text: RedactedText, max: number): RedactedText;
export function clip(text: string, max: number): string;
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max <= 0) return "";
  const cut = text.slice(0, max - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** Puts `text` on one line: each run of white space becomes one space. */
export function oneLine(text: SafeText): SafeText;
export function oneLine(text: RedactedText): RedactedText;
export function oneLine(text: string): string;
export function oneLine(text: string): string {
  // Lists call this for thousands of texts, and most are one line already.
  return (/\s{2}|[^\S ]/.test(text) ? text.replace(/\s+/g, " ") : text).trim();
}

/** `1 task`, `2 tasks`. */
export function count<N extends string>(n: number, noun: Safe<N>, plural?: Safe<N>): SafeText;
export function count(n: number, noun: string, plural?: string): string;
export function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
