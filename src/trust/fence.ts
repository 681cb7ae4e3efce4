import { safeHash } from "../base/hash.ts";
import { replaceSafe, type SafeText, safe } from "../base/safe-text.ts";

const lookalike = /<(?=\s*(?:\/\s*)?data-)/gi;

/** The lines around fenced text. */
interface FenceLines {
  readonly open: SafeText;
  readonly close: SafeText;
}

/** Returns the lines `<data-CODE>` and `</data-CODE>`; CODE is derived from `seed`, so the same seed gives the same prompt. */
export function fenceLines(seed: string): FenceLines {
  const tag = safe`data-${safeHash(seed, 12)}`;
  return { open: safe`<${tag}>`, close: safe`</${tag}>` };
}

/** Puts a backslash after the `<` of anything that looks like a line of a fence: the text can neither close one nor open one. */
export function escapeFences(text: SafeText): SafeText {
  return replaceSafe(text, lookalike, () => safe`<\\`);
}

/**
 * Encloses `text` as data for a prompt, between the lines of `fenceLines`. `seed` must be unknown to whoever wrote the text,
 * such as the prompt's own (`RecallRequest`).
 */
export function fence(text: SafeText, seed: string): SafeText {
  const { open, close } = fenceLines(seed);
  const body = escapeFences(text);
  return safe`${open}\n${body}${body.endsWith("\n") ? "" : "\n"}${close}`;
}
