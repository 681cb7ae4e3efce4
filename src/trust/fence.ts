import { safeHash } from "../base/hash.ts";
import { replaceSafe, type SafeText, safe } from "../base/safe-text.ts";

const lookalike = /<(?=\s*(?:\/\s*)?data-)/gi;

/**
 * Encloses `text` as data for a prompt: between `<data-CODE>` and `</data-CODE>`, each on its own line. CODE is derived
 * from `seed` (such as run and attempt), so the same input gives the same prompt. Anything in the text that looks like
 * such a tag gets a backslash after its `<`: the text can neither close the fence nor open one.
 */
export function fence(text: SafeText, seed: string): SafeText {
  const tag = safe`data-${safeHash(seed, 12)}`;
  const body = replaceSafe(text, lookalike, () => safe`<\\`);
  return safe`<${tag}>\n${body}${body.endsWith("\n") ? "" : "\n"}</${tag}>`;
}
