import { irregularForms } from "./irregular-forms.ts";

/** The steps are named as in Martin Porter, "An algorithm for suffix stripping", 1980. */
const consonant = "(?:[^aeiouy]|^y|(?<=[aeiou])y)";
const vowel = "(?:[aeiou]|(?<=[^aeiou])y)";
/** Porter's measure, pairs of vowels and consonants: at least one, and at least two. */
const measured = new RegExp(`${vowel}${consonant}`);
const measuredTwice = new RegExp(`${vowel}${consonant}+${vowel}+${consonant}`);
const hasVowel = new RegExp(vowel);
const doubled = /([^aeioulsz])\1$/;
/** Consonant, vowel, consonant at the end: the suffix replaced an e. */
const short = new RegExp(`^${consonant}*${vowel}[^aeiouywx]$`);

type Suffixes = readonly (readonly [suffix: string, by: string])[];

const step2: Suffixes = [
  ["ational", "ate"],
  ["ization", "ize"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["iveness", "ive"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["entli", "ent"],
  ["ousli", "ous"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["iviti", "ive"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["izer", "ize"],
  ["abli", "able"],
  ["alli", "al"],
  ["ator", "ate"],
  ["logi", "log"],
  ["eli", "e"],
];
const step3: Suffixes = [
  ["icate", "ic"],
  ["ative", ""],
  ["alize", "al"],
  ["iciti", "ic"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];
const step4 = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic|ou|(?<=[st])ion)$/;

/**
 * Returns the stem of a lower-case English word, `go` for `went` too. Other words, and short ones that are no irregular
 * form, are returned unchanged.
 */
export function stem(form: string): string {
  const word = irregularForms.get(form) ?? form;
  if (word.length < 4 || word.length > 30 || !/^[a-z]+$/.test(word)) return word;
  const base = stripFinal(
    replaceSuffix(replaceSuffix(replaceY(stripEnding(stripPlural(word))), step2), step3),
  );
  const withoutE = /e$/.test(base) && dropsE(base.slice(0, -1)) ? base.slice(0, -1) : base;
  return /ll$/.test(withoutE) && measuredTwice.test(withoutE) ? withoutE.slice(0, -1) : withoutE;
}

function stripPlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function stripEnding(word: string): string {
  if (word.endsWith("eed")) return measured.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const cut = word.replace(/(?:ed|ing)$/, "");
  if (cut === word || !hasVowel.test(cut)) return word;
  if (/(?:at|bl|iz)$/.test(cut)) return `${cut}e`;
  if (doubled.test(cut)) return cut.slice(0, -1);
  return short.test(cut) ? `${cut}e` : cut;
}

function replaceY(word: string): string {
  return word.endsWith("y") && hasVowel.test(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

function replaceSuffix(word: string, suffixes: Suffixes): string {
  for (const [suffix, by] of suffixes) {
    if (!word.endsWith(suffix)) continue;
    const cut = word.slice(0, -suffix.length);
    return measured.test(cut) ? cut + by : word;
  }
  return word;
}

function stripFinal(word: string): string {
  const cut = word.replace(step4, "");
  return cut !== word && measuredTwice.test(cut) ? cut : word;
}

function dropsE(cut: string): boolean {
  return measuredTwice.test(cut) || (measured.test(cut) && !short.test(cut));
}
