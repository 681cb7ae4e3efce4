import {
  joinRedacted,
  joinSafe,
  type RedactedText,
  replaceSafe,
  type SafeText,
  safe,
} from "../base/safe-text.ts";
import { clip, oneLine } from "../base/text.ts";
import { printable } from "../trust/stored-text.ts";

const opening = /^ {0,3}<([a-z]+(?:-[a-z]+)*)(?=[\s/>])/;
const maxSentences = 3;

/**
 * Returns the first sentences of an agent's final message on one line, at most `max` characters; "" if it contains only
 * sigils. Linear time.
 */
export function closingSentences(message: RedactedText, max: number): SafeText {
  const text = oneLine(printable(withoutSigils(message)));
  const end = endOfSentences(text);
  return clip(end > 0 ? text.slice(0, end) : text, max);
}

/** Returns the words with which an agent that reports failure ends, for a person who decides; "" for none. */
export function lastWords(message: RedactedText): SafeText {
  return replaceSafe(closingSentences(message, lastWordsChars), /[.:]+$/, () => safe``);
}

const lastWordsChars = 200;
/** The lines that may follow a question: its choices, and the request for an answer. */
const afterQuestion = /^(?:[-*•]|\d+[.)]|[a-z][.)]|please\b|let me know\b)/i;

/** Returns the question with which a message ends, with its choices; "" for none. */
export function closingQuestion(message: RedactedText): SafeText {
  const lines = printable(withoutSigils(message))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const at = lines.findLastIndex((line) => !afterQuestion.test(line));
  const asked = lines.findLastIndex((line) => /\?[\s*_"'”’)]*$/.test(line));
  if (asked < at || asked < 0) return safe``;
  return clip(oneLine(joinSafe(lines.slice(asked), " ")), lastWordsChars);
}

/** Removes blocks of lines that begin with `<name` and end with its closing tag. Linear time. */
export function withoutSigils(message: RedactedText): RedactedText {
  const kept: RedactedText[] = [];
  const lastClose = new Map<string, number>();
  let start = 0;
  while (start < message.length) {
    const newline = message.indexOf("\n", start);
    const end = newline < 0 ? message.length : newline;
    const line = message.slice(start, end);
    const name = opening.exec(line)?.[1];
    const close = name === undefined ? -1 : closingAfter(message, name, { from: start, lastClose });
    if (name === undefined || (close < 0 && !line.trimEnd().endsWith("/>"))) {
      kept.push(line);
      start = end + 1;
      continue;
    }
    const after = close < 0 ? end : message.indexOf("\n", close);
    start = after < 0 ? message.length : after + 1;
  }
  return joinRedacted(kept, "\n");
}

interface Search {
  readonly from: number;
  /** The offset of the last closing tag of each name in the message; no search is needed after it. */
  readonly lastClose: Map<string, number>;
}

function closingAfter(message: string, name: string, { from, lastClose }: Search): number {
  const tag = `</${name}>`;
  const last = lastClose.get(name) ?? message.lastIndexOf(tag);
  lastClose.set(name, last);
  return from > last ? -1 : message.indexOf(tag, from);
}

function endOfSentences(text: string): number {
  const ends = text.slice(0, 4000).matchAll(/[.!?](?=\s)/g);
  let seen = 0;
  for (const match of ends) {
    seen += 1;
    if (seen === maxSentences) return match.index + 1;
  }
  return 0;
}

/** Returns an agent's error without the end of stderr that it quotes. */
export function ownWords(message: string, stderr: string): string {
  const at = message.indexOf(": ");
  return at >= 0 && stderr.includes(message.slice(at + 2)) ? message.slice(0, at) : message;
}
