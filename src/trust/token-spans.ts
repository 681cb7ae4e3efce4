import { isFilledIn } from "./randomness.ts";
import type { Span } from "./secret-span.ts";
import { tokenRules } from "./token-rules.ts";

/**
 * A token begins outside a word, or directly after an escape such as `\n`, `\u200b`, `%3D` or `%253D`, or after a colour, as the
 * word before it may have another one.
 */
const boundary =
  "(?<=^|[^A-Za-z0-9]|\\\\(?:[bfnrt]|u[0-9A-Fa-f]{4})|%(?:25){0,3}[0-9A-Fa-f]{2}|\\[[\\d;:]{0,20}[A-Za-z]|\\x1b\\([0AB])";
/** All rules in one pass: group number n is rule n - 1. */
const anyToken = new RegExp(
  `${boundary}(?:${tokenRules.map(({ pattern }) => `(${pattern})`).join("|")})`,
  "g",
);

/** Finds the tokens in `text` by their shape. */
export function tokenSpans(text: string): readonly Span[] {
  // No token is shorter, and prose has few words of this length.
  if (!/\S{16}/.test(text)) return [];
  const found: Span[] = [];
  anyToken.lastIndex = 0;
  for (let match = anyToken.exec(text); match; match = anyToken.exec(text)) {
    const token = match[0];
    const rule = tokenRules[match.indexOf(token, 1) - 1];
    if (!rule || !(rule.certain || isFilledIn(token))) continue;
    found.push({ start: match.index, end: match.index + token.length, kind: rule.kind });
  }
  return found;
}
