import type { SafeText } from "../../../base/safe-text.ts";
import { slug } from "../../../trust/safe-name.ts";
import { safeLine } from "../../../trust/safe-text.ts";

const maxChars = 48;

/** Returns a topic's name in one spelling: `Foundation Models`, `foundation_models` and `foundation-models` are one. */
export function topicKey(category: string): SafeText {
  return safeLine(
    category
      .normalize("NFKC")
      .toLowerCase()
      .trim()
      .replace(/[\s_-]+/g, "-"),
    120,
  );
}

/**
 * Returns a name for a topic's file and skill that none of `taken` is: `[a-z0-9]` words with single dashes between them,
 * at most 56 characters. Another topic's name gets a number (`c-2`).
 */
export function topicSlug(key: string, taken: ReadonlySet<string>): SafeText {
  const words = key
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")
    .join("-");
  // `slug` also replaces names that systems reserve.
  const base = slug(words === "" ? key : words.slice(0, maxChars).replace(/-$/, ""));
  for (let n = 1; ; n += 1) {
    const name = safeLine(n === 1 ? base : `${base.slice(0, maxChars).replace(/-$/, "")}-${n}`);
    if (!taken.has(name)) return name;
  }
}
