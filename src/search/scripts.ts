/** Scripts without spaces between words, and Hangul, whose words carry their particles. */
export const unspaced: RegExp =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
export const hasUnspaced: RegExp = new RegExp(unspaced.source, "u");

const pair = new RegExp(`^${unspaced.source}$`, "u");
/**
 * Hiragana writes endings and particles; these Chinese characters are particles, pronouns and auxiliary verbs. The mark of a
 * long vowel, a word of its own in the index, is in most words of foreign origin.
 */
const grammatical = /^\p{Script=Hiragana}{2}$|^ー$|[的了是在和与及把被就都也要]/u;

/** Reports whether a word is characters of a script without spaces, which are words in pairs. */
export function isCharacterPair(word: string): boolean {
  return word.charCodeAt(0) > 0x0e00 && pair.test(word);
}

/** Reports whether a pair of characters is grammar rather than a word: Japanese endings, Chinese particles; or `ー`. */
export function isGrammatical(word: string): boolean {
  return word.charCodeAt(0) > 0x0e00 && grammatical.test(word);
}
