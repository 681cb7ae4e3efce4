/** Words that people write in place of a secret. */
const placeholderWord =
  /redacted|example|placeholder|change.?me|dummy|sample|your|insert|replace|undefined|\bnull\b|process\.env|os\.environ|getenv|secrets\.|_here\b|todo|\.\.\.|…/i;
/** References to a value elsewhere: `$NAME`, `${x}`, `{{x}}`, `%NAME%`, `<token>`, `[TOKEN]`, `***`. */
const reference = /^[$@%<[{]|\$\{|\{\{|\$\(|\*{3}|#{4}|<[^>]*>/;
/** The hash of a published file: `sha256-…` of a page's scripts, `sha256:…` of an image. */
const checksum = /^sha(?:1|224|256|384|512)[-:]/;
const sequence = /0123456|1234567|abcdefg|qwerty/i;
/** Names of a value in its place: `myToken`, `access-key`. */
const valueName = /^[A-Za-z_-]{0,20}(?:token|secret|key|jwt|credentials?)$/i;
const path = /^(?:~|\.{1,2})?\/[\w.~-]+(?:\/|$)|^[A-Za-z]:[\\/]|^[a-z][a-z0-9+.-]{1,12}:\/\//;

/** Returns the bits per character of `text`; 0 if it is empty. */
function entropy(text: string): number {
  const ascii = new Uint16Array(128);
  const seen: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code > 127) return entropyOfAny(text);
    if (ascii[code] === 0) seen.push(code);
    ascii[code] = (ascii[code] ?? 0) + 1;
  }
  const counts = seen.map((code) => ascii[code] ?? 0);
  return bitsOf(counts, text.length);
}

function entropyOfAny(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  return bitsOf(counts.values(), text.length);
}

function bitsOf(counts: Iterable<number>, length: number): number {
  let bits = 0;
  for (const n of counts) bits -= (n / length) * Math.log2(n / length);
  return bits;
}

/** Checks whether one character, which ends no line, comes `length` times in a row. */
function hasRun(text: string, length: number): boolean {
  let run = 0;
  for (let at = 0; at < text.length; at++) {
    run = text.charCodeAt(at) === text.charCodeAt(at - 1) ? run + 1 : 1;
    if (run >= length && /./.test(text.charAt(at))) return true;
  }
  return false;
}

/** Checks whether `text` has at most `most` different characters, upper and lower case being one. */
function hasFewCharacters(text: string, most: number): boolean {
  const seen: number[] = [];
  const lower = text.toLowerCase();
  for (let at = 0; at < lower.length; at++) {
    const code = lower.charCodeAt(at);
    // Half a character: counted as whole ones.
    if (code >= 0xd800 && code < 0xe000) return new Set(lower).size <= most;
    if (!seen.includes(code) && seen.push(code) > most) return false;
  }
  return true;
}

/** Checks whether `value` is invented for a document or refers to a value elsewhere: first by what takes the least time. */
export function isPlaceholder(value: string): boolean {
  if (hasFewCharacters(value, 4) || path.test(value) || valueName.test(value)) return true;
  if (reference.test(value) || placeholderWord.test(value) || checksum.test(value)) return true;
  if (hasRun(value, 6) && entropy(value) < 3.2) return true;
  return value.length < 40 && sequence.test(value);
}

const inOrder = 10;

/** Returns the length of the longest run of characters that each follow the one before: `cdef`, `8901`. */
function maxRun(text: string): number {
  let longest = 0;
  let run = 0;
  let before = Number.NaN;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    run = code - before === 1 || (code === zero && before === nine) ? run + 1 : 1;
    longest = Math.max(longest, run);
    before = code;
  }
  return longest;
}
const zero = 48;
const nine = 57;

/**
 * Checks whether a person typed `value` to illustrate one: one part is half of it, and ten characters in order, which no
 * generator draws, are a third of that part. Ids in order beside a secret are in other parts: `xoxb-123456789012-…`.
 */
function isTypedInOrder(value: string): boolean {
  if (value.length < inOrder || maxRun(value) < inOrder) return false;
  const [longest = ""] = value.split(/[^A-Za-z0-9]+/).toSorted((a, b) => b.length - a.length);
  return longest.length >= value.length / 2 && maxRun(longest) >= Math.max(inOrder, longest.length / 3);
}

/** Checks whether a part of four characters or more comes three times: ids that only illustrate some, `xoxp-1234-1234-1234-…`. */
function repeatsPart(value: string): boolean {
  const counts = new Map<string, number>();
  for (const part of value.split(/[^A-Za-z0-9]+/)) {
    if (part.length < 4) continue;
    const count = (counts.get(part) ?? 0) + 1;
    if (count >= 3) return true;
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
function isWords(bare: string, share = 0.6): boolean {
  const words = bare.match(/[A-Z]?[a-z]{3,}/g) ?? [];
  return words.join("").length > bare.length * share;
}

/** Checks whether a token's body is an identifier, which has several words and no digit: `hf_requiredTypesForDisplay`. */
export function isNameOfWords(token: string): boolean {
  const body = token.replace(/^[A-Za-z0-9]{1,12}[_-]/, "");
  return /[a-z][A-Z]/.test(body) && !/\d/.test(body) && isWords(body.replace(/[^A-Za-z]/g, ""), 0.7);
}

/** Members of code: `KeySizes.Key128Bit`. */
const members = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$/;
/** The name of a resource: `cmp2-qat-1208358310`. Each part is a word, with at most three digits, or a number. */
const resourceName = /^[a-z]{2,}\d{0,3}(?:[-_.](?:[a-z]{2,}\d{0,3}|\d+)){1,}$/;

/** Checks whether a value names something: a member in code, a resource. */
export function isName(value: string): boolean {
  if (resourceName.test(value)) return true;
  if (!members.test(value)) return false;
  const words = value.match(/[A-Z][a-z]{2,}|[a-z]{3,}/g) ?? [];
  return words.join("").length > value.replace(/[^A-Za-z0-9]/g, "").length * 0.6;
}

interface Make {
  readonly letters: number;
  readonly digits: number;
  /** Changes between letters and digits, whatever stands between: many in a random text, few in words and versions. */
  readonly changes: number;
}

function makeOf(value: string): Make {
  let letters = 0;
  let digits = 0;
  let changes = 0;
  let wasDigit: boolean | undefined;
  for (let at = 0; at < value.length; at++) {
    const kind = kindOf(value.charCodeAt(at));
    if (kind > digit) continue;
    const isDigit = kind === digit;
    if (isDigit) digits += 1;
    else letters += 1;
    if (wasDigit !== undefined && wasDigit !== isDigit) changes += 1;
    wasDigit = isDigit;
  }
  return { letters, digits, changes };
}

/**
 * Checks whether `value` looks random: a UUID, long digits, hex, or letters and digits thoroughly mixed. Words joined by
 * dots, dashes or capitals, versions and dates do not.
 */
export function looksRandom(value: string, minLength: number): boolean {
  if (value.length < minLength) return false;
  const make = makeOf(value);
  if (make.digits === 0) return false;
  if (uuid.test(value)) return entropy(value) >= 2.5;
  return (
    isMixed(value, make, minLength) &&
    !isTypedInOrder(value) &&
    !repeatsPart(value) &&
    !isEditedHex(value) &&
    !isPlaceholder(value)
  );
}

function isMixed(value: string, { letters, digits, changes }: Make, minLength: number): boolean {
  const length = letters + digits;
  if (length < minLength - 2) return false;
  if (letters === 0) return length === value.length && length >= 15;
  const bare = (): string => value.replace(/[^A-Za-z0-9]/g, "");
  if (/^[0-9a-f:]+$/i.test(value)) return length >= 16 && entropy(bare()) >= 2.5;
  if (changes >= 3) return entropy(bare()) >= 2.8;
  if (changes === 0 || length < 20 || !/[a-z]/.test(value) || !/[A-Z]/.test(value)) return false;
  return !isWords(bare()) && entropy(bare()) >= 3.8;
}

/** Checks whether `value`, quoted in the position of a password, can be one: two kinds of characters, no white space. */
export function looksLikePassword(value: string): boolean {
  if (value.length < 6 || !isOfKinds(value)) return false;
  return !/\s/.test(value) && !commonPassword.test(value) && !isPlaceholder(value);
}

/** Checks whether `value` has three kinds of characters, or two with a digit or a character that names and code lack. */
function isOfKinds(value: string): boolean {
  const { has, count } = kindsOf(value);
  return count >= 3 || (count === 2 && (has(digit) || /[^A-Za-z0-9_.,;:()[\]{}<>=/-]/.test(value)));
}

const lower = 0;
const upper = 1;
const digit = 2;
const other = 3;
const joint = 4;

/** Returns the kind of a character: a lower-case letter, an upper-case one, a digit, another, or one that joins words. */
function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return lower;
  if (code >= 65 && code <= 90) return upper;
  if (code >= zero && code <= nine) return digit;
  return code === 95 || code === 46 || code === 45 ? joint : other;
}

interface Kinds {
  readonly has: (kind: number) => boolean;
  /** The kinds of characters that come in the text, besides what joins words. */
  readonly count: number;
}

function kindsOf(value: string): Kinds {
  let found = 0;
  for (let at = 0; at < value.length; at++) found |= 1 << kindOf(value.charCodeAt(at));
  const has = (kind: number): boolean => (found & (1 << kind)) !== 0;
  return { has, count: [lower, upper, digit, other].filter(has).length };
}

/** Checks whether `value`, quoted in the position of a password, is one with spaces: one of its words is itself a password. */
export function looksLikePassphrase(value: string): boolean {
  if (value.length > 80 || isPlaceholder(value)) return false;
  const words = value.split(/\s+/);
  return words.some((word) => /\d/.test(word) && kindsOf(word).count >= 3 && looksLikePassword(word));
}

/** Common words for passwords in documents, which are never secrets. */
const commonPassword =
  /^(?:my|the|test|user|some|new|old|admin|db|super)?[-_]?(?:pass(?:word|wd|phrase)?|pwd|secret|token|test)[-_]?\d{0,4}!?$/i;
