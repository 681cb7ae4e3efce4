import { clip, oneLine } from "../../base/text.ts";
import { redact } from "../../trust/redact.ts";
import { stripControls } from "../../trust/terminal.ts";

/** Foreign text as part of one line of ours: no line break, control character or secret is left in it. */
export function inlineText(text: string, max: number): string {
  return clip(oneLine(stripControls(redact(text))), max);
}

/** The same as a Markdown code span, with as many backticks as it takes. */
export function codeSpan(text: string, max: number): string {
  const line = inlineText(text, max);
  const longest = Math.max(0, ...Array.from(line.matchAll(/`+/g), ([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  return longest > 0 ? `${ticks} ${line} ${ticks}` : `${ticks}${line}${ticks}`;
}

/** Foreign text of many lines, secrets and control characters taken out, cut to `max` characters. */
export function cleanBlock(text: string, max: number): string {
  return clip(stripControls(redact(text)).trim(), max);
}
