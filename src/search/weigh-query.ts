import { charNgrams } from "./char-ngrams.ts";
import { namesIn } from "./names-in-text.ts";
import type { SearchQuery } from "./query.ts";
import { isCharacterPair, isGrammatical } from "./scripts.ts";
import { errorToken, labelsOf, type TextTokens, taskToken, tokenize } from "./tokenize.ts";

/** A query, tokenised and weighted for matching and scoring. */
export interface WeighedQuery {
  /** Words in the order of the query, with their weights. */
  readonly words: ReadonlyMap<string, number>;
  readonly titleWords: ReadonlySet<string>;
  /** Words that no document contains, but for which related ones were taken (`related-words.ts`). */
  readonly replaced: ReadonlySet<string>;
  /** The words that were taken instead, each with its worth: 1 for another form of the word, less for a part of it. */
  readonly standIns: ReadonlyMap<string, number>;
  /** Hashes of its 4-grams. */
  readonly grams: ReadonlySet<number>;
  /** The token of its error signature; "" for none. */
  readonly error: string;
  /** The tokens of its related tasks. */
  readonly tasks: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  /** Its tags in lower case, and the folders of its files. */
  readonly labels: ReadonlySet<string>;
  /** Hashes of the 4-grams of its words without function words (`contentText`). */
  readonly contentGrams: ReadonlySet<number>;
  /** How much text it has besides the title: 0 for none, 1 for as much as the body of an issue. */
  readonly described: number;
  /** Identifiers, files, packages and error codes in its texts, in lower case. */
  readonly names: ReadonlySet<string>;
}

/** Added for a word of the title. These weights were chosen on the public sets (docs/benchmarks.md), one set for all. */
const titleBonus = 0.75;
/** Number of words in a title from which on each pair of characters gets the bonus once: fewer pairs share that sum. */
const pairsOfTitle = 8;
/** Weight of a pair of characters that is grammar, relative to others. */
const grammarShare = 0.2;
/** Added per e-fold of occurrences. */
const repetitionBonus = 0.3;
/** Weight of a label or a part of an identifier. */
const partWeight = 0.7;

/** More than any task has; a pasted log may exceed it. */
const maxWords = 400;
const gramChars = 500;
/** Words of a whole description, without function words. A sentence or two are more like a longer title. */
const describedWords = 30;

/** Tokenises a query. A word weighs 1, more in the title or when repeated; a part of an identifier weighs less. */
export function weighQuery(query: SearchQuery): WeighedQuery {
  const title = tokenize(query.title);
  const text = tokenize(`${query.description}\n${query.lastError}`);
  const labels = tokenize([...query.tags, ...query.files].join(" "));
  const frequencies = new Map<string, number>();
  for (const word of [...title.words, ...text.words]) frequencies.set(word, (frequencies.get(word) ?? 0) + 1);
  const titleWords = new Set(title.words);
  const words = new Map<string, number>();
  for (const [word, frequency] of frequencies) {
    const bonus = titleWords.has(word) ? titleBonus * shareOfTitle(word, titleWords) : 0;
    const weight = 1 + bonus + repetitionBonus * Math.log(frequency);
    words.set(word, isGrammatical(word) ? grammarShare * weight : weight);
  }
  for (const word of [...title.parts, ...labels.words, ...labels.parts, ...text.parts]) {
    if (!words.has(word)) words.set(word, partWeight);
  }
  return {
    words: new Map([...words].slice(0, maxWords)),
    titleWords,
    replaced: new Set(),
    standIns: new Map(),
    grams: charNgrams(`${query.title} ${query.description.slice(0, gramChars)}`),
    error: errorToken(query.errorSignature),
    tasks: new Set(query.relatedTasks.map(taskToken).filter(Boolean)),
    files: new Set(query.files),
    labels: labelsOf(query),
    contentGrams: charNgrams(contentText([title, tokenize(query.description.slice(0, gramChars))])),
    described: Math.min(1, text.words.length / describedWords),
    names: namesIn([query.title, query.lastError, query.description].join("\n")),
  };
}

/**
 * Returns the stems of some texts, without function words, as one text. Pairs of characters are left out: four characters
 * of them are one word and a half.
 */
export function contentText(texts: readonly TextTokens[]): string {
  return texts.flatMap(({ words }) => words.filter((word) => !isCharacterPair(word))).join(" ");
}

/** A short title in Chinese or Japanese has few pairs of characters: each counts by its share of the title. */
function shareOfTitle(word: string, titleWords: ReadonlySet<string>): number {
  return isCharacterPair(word) ? Math.max(1, pairsOfTitle / titleWords.size) : 1;
}
