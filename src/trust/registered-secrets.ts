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
 * their forms in JSON, URLs and base64, there also within a longer text. Values under 8 characters, paths and common words are skipped.
 */
export function registerSecrets(values: readonly string[]): void {
  const before = exact.size;
  for (const value of values) {
    if (value.length < 8 || harmless.test(value) || path.test(value)) continue;
    const plain = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(cleanText(value))];
    for (const form of [...plain, ...base64Forms(Buffer.from(value))]) exact.add(form);
  }
  if (exact.size > before) anyExact = undefined;
}

/** The minimum number of characters of base64 that stand for a value: a shorter part of it may stand for another one. */
const minInner = 12;

/**
 * Returns what stands for these bytes in base64 and base64url: alone, and within a longer text, where they begin at one of
 * three places of a group. The first and last characters of a group that they share with other bytes are left out there.
 */
function base64Forms(bytes: Buffer): string[] {
  const alone = bytes.toString("base64").replace(/=+$/, "");
  const within = [0, 1, 2].map((before) => {
    const bits = 8 * (before + bytes.length);
    return Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(Math.ceil((8 * before) / 6), Math.floor(bits / 6));
  });
  const forms = [alone, ...within.filter((form) => form.length >= minInner)];
  return forms.flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
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
