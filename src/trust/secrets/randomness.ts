/** Words that people write in place of a secret. */
const placeholderWord =
  /redacted|example|placeholder|change.?me|dummy|sample|your|insert|replace|undefined|\bnull\b|process\.env|os\.environ|getenv|secrets\.|_here\b|todo|\.\.\.|…/i;
/** References to a value elsewhere: `$NAME`, `${x}`, `{{x}}`, `%NAME%`, `<token>`, `[TOKEN]`, `***`. */
const reference = /^[$@%<[{]|\$\{|\{\{|\$\(|\*{3}|#{4}|<[^>]*>/;
const runOfOne = /(.)\1{5}/;
const sequence = /0123456|1234567|abcdefg|qwerty/i;
/** Names of a value in its place: `myToken`, `access-key`. */
const valueName = /^[A-Za-z_-]{0,20}(?:token|secret|key|jwt|credentials?)$/i;
const path = /^(?:~|\.{1,2})?\/[\w.~-]+(?:\/|$)|^[A-Za-z]:[\\/]|^[a-z][a-z0-9+.-]{1,12}:\/\//;

/** Returns the bits per character of `text`; 0 if it is empty. */
function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const n of counts.values()) bits -= (n / text.length) * Math.log2(n / text.length);
  return bits;
}

/** Checks whether `value` is invented for a document or refers to a value elsewhere. */
export function isPlaceholder(value: string): boolean {
  if (placeholderWord.test(value) || reference.test(value) || path.test(value)) return true;
  if (valueName.test(value)) return true;
  if (runOfOne.test(value) && entropy(value) < 3.2) return true;
  return new Set(value.toLowerCase()).size <= 4 || (sequence.test(value) && value.length < 40);
}

const inOrder = 10;

/** Returns the length of the longest run of characters that each follow the one before: `cdef`, `8901`. */
function maxRun(text: string): number {
  let longest = 0;
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    const follows =
      text.charCodeAt(at) - text.charCodeAt(at - 1) === 1 || text.slice(at - 1, at + 1) === "90";
    run = follows ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  return longest;
}

/**
 * Checks whether a person typed `value` to illustrate one: one part is half of it, and ten characters in order, which no
 * generator draws, are a third of that part. Ids in order beside a secret are in other parts: `xoxb-123456789012-…`.
 */
function isTypedInOrder(value: string): boolean {
  if (value.length < inOrder) return false;
  const [longest = ""] = value.split(/[^A-Za-z0-9]+/).toSorted((a, b) => b.length - a.length);
  return longest.length >= value.length / 2 && maxRun(longest) >= Math.max(inOrder, longest.length / 3);
}

/** Checks whether a part of four characters or more comes three times: ids that only illustrate some, `xoxp-1234-1234-1234-…`. */
function repeatsPart(value: string): boolean {
  const counts = new Map<string, number>();
  for (const part of value.split(/[^A-Za-z0-9]+/)) {
    const count = (counts.get(part) ?? 0) + 1;
    if (part.length >= 4 && count >= 3) return true;
    counts.set(part, count);
  }
  return false;
}

/** Checks whether all but one or two letters of 32 or more hex digits have one case: no program writes that, but a person's edit does. */
function isEditedHex(value: string): boolean {
  if (!/^[0-9a-f]{32,}$/i.test(value)) return false;
  const lower = value.replace(/[^a-f]/g, "").length;
  const upper = value.replace(/[^A-F]/g, "").length;
  const fewer = Math.min(lower, upper);
  return fewer >= 1 && fewer <= 2 && Math.max(lower, upper) >= 10;
}

/** Checks the text after a token's prefix: `ghp_xxxxxxxx` only illustrates a token. */
export function isFilledIn(token: string): boolean {
  const body = token.slice(Math.min(8, token.length >> 1));
  // Zero bytes are a long run in base64, but a short part of it.
  const run = /(.)\1{7,}/.exec(body)?.[0].length ?? 0;
  const isDrawn = run > body.length / 8 || entropy(body) < 2.2;
  return !isDrawn && !isTypedInOrder(token) && !repeatsPart(token) && !/(?:example|here)$/i.test(token);
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Checks whether most characters belong to capitalized or lower-case words: `xAxisIrregular2Log`. */
function isWords(bare: string): boolean {
  const words = bare.match(/[A-Z]?[a-z]{3,}/g) ?? [];
  return words.join("").length > bare.length * 0.6;
}

/** Counts the changes between letters and digits: many in a random text, few in words and versions. */
function characterChanges(value: string): number {
  return (value.match(/[a-z](?=\d)|\d(?=[a-z])/gi) ?? []).length;
}

/**
 * Checks whether `value` looks random: a UUID, long digits, hex, or letters and digits thoroughly mixed. Words joined by
 * dots, dashes or capitals, versions and dates do not.
 */
export function looksRandom(value: string, minLength: number): boolean {
  if (value.length < minLength || !/\d/.test(value)) return false;
  if (uuid.test(value)) return entropy(value) >= 2.5;
  if (isTypedInOrder(value) || repeatsPart(value) || isEditedHex(value)) return false;
  const bare = value.replace(/[^A-Za-z0-9]/g, "");
  if (bare.length < minLength - 2) return false;
  if (/^\d+$/.test(bare)) return bare.length === value.length && bare.length >= 15 && !isPlaceholder(value);
  if (/^[0-9a-f:]+$/i.test(value) && /\d/.test(value))
    return bare.length >= 16 && entropy(bare) >= 2.5 && !isPlaceholder(value);
  const mixed = characterChanges(bare);
  if (mixed >= 3) return entropy(bare) >= 2.8 && !isPlaceholder(value);
  return (
    mixed >= 1 &&
    bare.length >= 20 &&
    !isWords(bare) &&
    /[a-z]/.test(bare) &&
    /[A-Z]/.test(bare) &&
    entropy(bare) >= 3.8 &&
    !isPlaceholder(value)
  );
}

/** Checks whether `value`, quoted in the position of a password, can be one: two kinds of characters, no white space. */
export function looksLikePassword(value: string): boolean {
  if (value.length < 6 || /\s/.test(value) || isPlaceholder(value) || commonPassword.test(value))
    return false;
  const kinds = kindsOf(value);
  return (
    kinds >= 3 ||
    (kinds === 2 && /\d/.test(value)) ||
    (kinds === 2 && /[^A-Za-z0-9_.,;:()[\]{}<>=/-]/.test(value))
  );
}

/** Counts the kinds of characters: lower case, upper case, digits, others. */
function kindsOf(value: string): number {
  return [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9_.-]/].filter((kind) => kind.test(value)).length;
}

/** Checks whether `value`, quoted in the position of a password, is one with spaces: one of its words is itself a password. */
export function looksLikePassphrase(value: string): boolean {
  if (value.length > 80 || isPlaceholder(value)) return false;
  const words = value.split(/\s+/);
  return words.some((word) => /\d/.test(word) && kindsOf(word) >= 3 && looksLikePassword(word));
}

/** Common words for passwords in documents, which are never secrets. */
const commonPassword =
  /^(?:my|the|test|user|some|new|old|admin|db|super)?[-_]?(?:pass(?:word|wd|phrase)?|pwd|secret|token|test)[-_]?\d{0,4}!?$/i;
