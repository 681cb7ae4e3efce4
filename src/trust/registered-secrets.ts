import { cleanText } from "../base/text.ts";

// Apart from the rules of redaction, which take longer to load than a command that only reads.

/** Values that reveal nothing: replacing them everywhere would only garble the text. */
const harmless =
  /^(?:true|false|null|none|disabled|enabled|default|production|development|staging|localhost|password|changeme|change-me|keychain|required|optional)$/i;
const path = /^(?:~|\.{1,2})?\/|^[A-Za-z]:\\/;

const exact = new Set<string>();
let anyExact: RegExp | undefined;

/**
 * Registers values that redaction removes everywhere, such as those of environment variables named like secrets; also
 * their forms in JSON, URLs and base64. Values under 8 characters, paths and common words are skipped.
 */
export function registerSecrets(values: readonly string[]): void {
  const before = exact.size;
  for (const value of values) {
    if (value.length < 8 || harmless.test(value) || path.test(value)) continue;
    const base64 = Buffer.from(value).toString("base64").replace(/=+$/, "");
    for (const form of [
      value,
      JSON.stringify(value).slice(1, -1),
      encodeURIComponent(cleanText(value)),
      base64,
    ])
      exact.add(form);
  }
  if (exact.size > before) anyExact = undefined;
}

/** Returns a pattern of all registered values, another one after more were registered; undefined: there are none. */
export function registeredSecrets(): RegExp | undefined {
  if (exact.size === 0) return undefined;
  if (anyExact) return anyExact;
  // Longer values first, so that a part does not hide the whole.
  const sources = [...exact]
    .sort((a, b) => b.length - a.length)
    .map((value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
  anyExact = new RegExp(sources.join("|"), "g");
  return anyExact;
}
