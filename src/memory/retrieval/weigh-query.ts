import { grams } from "./grams.ts";
import type { RetrievalQuery } from "./query.ts";
import { errorToken, taskToken, wordsOf } from "./words.ts";

/** A query, taken apart for matching and scoring. */
export interface WeighedQuery {
  /** Each word, and how much it counts: more when it stands in the title, or often. */
  readonly words: ReadonlyMap<string, number>;
  readonly title: readonly string[];
  readonly all: readonly string[];
  /** Parts of its identifiers, tags and files. */
  readonly parts: ReadonlySet<string>;
  /** Tokens of its error and of the tasks near it; "" for no error. */
  readonly error: string;
  readonly tasks: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  /** Adjacent words, as `one two`. */
  readonly pairs: ReadonlySet<string>;
  readonly grams: ReadonlySet<string>;
}

export function weighQuery(query: RetrievalQuery): WeighedQuery {
  const title = wordsOf(query.title);
  const description = wordsOf(`${query.description}\n${query.lastError}`);
  const labels = wordsOf([...query.tags, ...query.files].join(" "));
  const all = [...title.words, ...description.words];
  const words = new Map<string, number>();
  for (const word of all) words.set(word, 1);
  const parts = new Set([...title.parts, ...description.parts, ...labels.words, ...labels.parts]);
  return {
    words,
    title: title.words,
    all,
    parts,
    error: errorToken(query.errorSignature),
    tasks: new Set(query.relatedTasks.map(taskToken).filter(Boolean)),
    files: new Set(query.files),
    pairs: new Set(all.slice(1).map((word, at) => `${all[at]} ${word}`)),
    grams: grams(`${query.title} ${query.description.slice(0, 500)}`),
  };
}
