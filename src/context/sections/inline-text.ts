import { clip, oneLine } from "../../base/text.ts";
import { redact } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";

/** Makes untrusted text safe within one line: removes line breaks, control characters and secrets. */
export function inlineText(text: string, max: number): string {
  return clip(oneLine(stripControls(redact(text))), max);
}

/** The same as a Markdown code span, with enough backticks to enclose those in the text. */
export function codeSpan(text: string, max: number): string {
  const line = inlineText(text, max);
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  return longest > 0 ? `${ticks} ${line} ${ticks}` : `${ticks}${line}${ticks}`;
}

/** Removes secrets and control characters from untrusted multi-line text and cuts it to `max` characters. */
export function cleanBlock(text: string, max: number): string {
  return clip(stripControls(redact(text)).trim(), max);
}
