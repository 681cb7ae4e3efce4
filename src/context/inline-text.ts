import { replaceSafe, type SafeText, safe } from "../base/safe-text.ts";
import { clip } from "../base/text.ts";
import { escapeFences } from "../trust/fence.ts";
import { safeLine, safeText } from "../trust/safe-text.ts";

/** Makes untrusted text safe within one line: without line breaks, control characters, secrets and what looks like a fence's line. */
export function inlineText(text: string, max: number): SafeText {
  return clip(escapeFences(safeLine(text, max)), max);
}

/** The same as a Markdown code span, with enough backticks to enclose those in the text. */
export function codeSpan(text: string, max: number): SafeText {
  const line = inlineText(text, max);
  const longest = line.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  const ticks = safeText("`".repeat(longest + 1));
  return longest > 0 ? safe`${ticks} ${line} ${ticks}` : safe`${ticks}${line}${ticks}`;
}

/** Removes secrets and control characters from untrusted multi-line text and cuts it to `max` characters. */
export function cleanBlock(text: string, max: number): SafeText {
  return clip(safeText(text).trim(), max);
}

/** `cleanBlock` with each line behind a bar, and without what looks like a line of a fence: none of it passes for the prompt's own. */
export function quotedLines(text: string, max: number): readonly SafeText[] {
  const block = escapeFences(cleanBlock(text, max));
  return block === "" ? [] : block.split("\n").map((line) => safe`    | ${line}`);
}

/** Replaces each `{{name}}` of `template` with its value; slots inside a value are not filled. */
export function fillTemplate(template: SafeText, values: Readonly<Record<string, SafeText>>): SafeText {
  return replaceSafe(template.trim(), /\{\{(\w+)\}\}/g, (_, name = _) => {
    const value = values[name];
    if (value === undefined) throw new Error(`the prompt has no value for {{${name}}}`);
    return value;
  });
}
