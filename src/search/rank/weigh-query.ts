import type { RetrievalQuery } from "../query.ts";
import { trigrams } from "../text/character-trigrams.ts";
import { errorToken, filedUnder, taskToken, wordsOf } from "../text/words.ts";

/** A query, taken apart for matching and scoring. */
export interface WeighedQuery {
  /** Each word to be found, in the order of the query, and how much it counts. */
  readonly words: ReadonlyMap<string, number>;
  /** What follows each word of its title. */
  readonly pairs: ReadonlyMap<string, ReadonlySet<string>>;
  readonly grams: ReadonlySet<number>;
  /** Tokens of its error and of the tasks near it; "" for no error. */
  readonly error: string;
  readonly tasks: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  /** Its tags and the folders of its files. */
  readonly labels: ReadonlySet<string>;
}

/** Chosen on the public sets, see docs/benchmarks.md; one set of constants for all of them. */
const inTitle = 0.75;
const repeated = 0.3;
const part = 0.7;

/** More than any task has; a pasted log may have more. */
const maxWords = 400;
const gramChars = 500;

/** A word counts 1; more in the title, and more when it is repeated; a part of an identifier less. */
export function weighQuery(query: RetrievalQuery): WeighedQuery {
  const title = wordsOf(query.title);
  const text = wordsOf(`${query.description}\n${query.lastError}`);
  const labels = wordsOf([...query.tags, ...query.files].join(" "));
  const times = new Map<string, number>();
  for (const word of [...title.words, ...text.words]) times.set(word, (times.get(word) ?? 0) + 1);
  const titleWords = new Set(title.words);
  const words = new Map<string, number>();
  for (const [word, n] of times) {
    words.set(word, 1 + (titleWords.has(word) ? inTitle : 0) + repeated * Math.log(n));
  }
  for (const word of [...title.parts, ...labels.words, ...labels.parts, ...text.parts]) {
    if (!words.has(word)) words.set(word, part);
  }
  return {
    words: new Map([...words].slice(0, maxWords)),
    pairs: pairsIn(title.words),
    grams: trigrams(`${query.title} ${query.description.slice(0, gramChars)}`),
    error: errorToken(query.errorSignature),
    tasks: new Set(query.relatedTasks.map(taskToken).filter(Boolean)),
    files: new Set(query.files),
    labels: filedUnder(query),
  };
}

function pairsIn(words: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const pairs = new Map<string, Set<string>>();
  for (const [at, word] of words.slice(1).entries()) {
    const first = words[at] ?? "";
    pairs.set(first, (pairs.get(first) ?? new Set()).add(word));
  }
  return pairs;
}
