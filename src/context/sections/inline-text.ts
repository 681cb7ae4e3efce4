import { type SafeText, safe } from "../../base/safe-text.ts";
import { clip } from "../../base/text.ts";
import { safeLine, safeText } from "../../trust/safe-text.ts";

/** Makes untrusted text safe within one line: removes line breaks, control characters and secrets. */
export function inlineText(text: string, max: number): SafeText {
  return safeLine(text, max);
}

/** The same as a Markdown code span, with enough backticks to enclose those in the text. */
export function codeSpan(text: string, max: number): SafeText {
  const line = inlineText(text, max);
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const ticks = safeText("`".repeat(longest + 1));
  return longest > 0 ? safe`${ticks} ${line} ${ticks}` : safe`${ticks}${line}${ticks}`;
}

/** Removes secrets and control characters from untrusted multi-line text and cuts it to `max` characters. */
export function cleanBlock(text: string, max: number): SafeText {
  return clip(safeText(text).trim(), max);
}
