import { sha256 } from "../base/hash.ts";

const lookalike = /<(?=\s*(?:\/\s*)?data-)/gi;

/**
 * `text` as data for a prompt: between `<data-CODE>` and `</data-CODE>` on lines of their own, where CODE is derived
 * from `seed` (run and attempt, say), so the same input gives the same prompt. Whatever looks like such a tag
 * within the text gets a backslash behind its `<`: the text can neither close the fence nor open one of its own.
 */
export function fence(text: string, seed: string): string {
  const tag = `data-${sha256(seed).slice(0, 12)}`;
  const body = text.replace(lookalike, "<\\");
  return `<${tag}>\n${body}${body.endsWith("\n") ? "" : "\n"}</${tag}>`;
}
