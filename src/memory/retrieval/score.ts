import type { RetrievalDocument } from "./document.ts";
import { grams, sharedGrams } from "./grams.ts";
import type { WeighedQuery } from "./weigh-query.ts";
import { errorToken, taskToken, type Words, wordsOf } from "./words.ts";

/** What the words are worth: how rare they are in the index, and how long its texts are. */
export interface Collection {
  /** Natural logarithm, BM25's inverse document frequency; 0 for a word that the index lacks. */
  idf(word: string): number;
  readonly averageWords: number;
}

/** Why a document was found: each part adds to its score. */
export interface ScoreParts {
  readonly words: number;
  readonly title: number;
  readonly parts: number;
  readonly pairs: number;
  readonly grams: number;
  readonly files: number;
  readonly error: number;
  readonly tasks: number;
  readonly recency: number;
}

const k1 = 1.2;
const b = 0.75;

interface Weights {
  title: number;
  parts: number;
  pairs: number;
  grams: number;
  files: number;
  error: number;
  tasks: number;
  recency: number;
  tTitle: number;
  shapeHours: number;
  shapePow: number;
}
const weights: Weights = {
  tTitle: 2,
  title: 1,
  parts: 0.3,
  pairs: 0.3,
  grams: 6,
  files: 3,
  error: 12,
  tasks: 3,
  recency: 10,
  shapeHours: 1,
  shapePow: 0.5,
};

export interface ScoringContext {
  readonly query: WeighedQuery;
  readonly collection: Collection;
  readonly now: Date;
  readonly recency: boolean;
}

export function scoreParts(
  document: RetrievalDocument,
  { query, collection, now, recency }: ScoringContext,
): ScoreParts {
  const title = wordsOf(document.title);
  const body = wordsOf(document.body);
  const labels = wordsOf([...document.tags, ...document.files].join(" "));
  const docParts = new Set([...title.parts, ...body.parts, ...labels.words, ...labels.parts]);
  return {
    words: lexical(query, collection, title, body),
    title: weights.title * inTitle(query, collection, title),
    parts: weights.parts * shared(query.parts, docParts, collection),
    pairs: weights.pairs * pairScore(query, collection, title, body),
    grams:
      weights.grams * sharedGrams(query.grams, grams(`${document.title} ${document.body.slice(0, 500)}`)),
    files: weights.files * document.files.filter((file) => query.files.has(file)).length,
    error: query.error !== "" && query.error === errorToken(document.errorSignature) ? weights.error : 0,
    tasks: query.tasks.has(taskToken(document.taskId)) ? weights.tasks : 0,
    recency: recency ? weights.recency * recencyOf(document.createdAt, now) : 0,
  };
}

function counts(words: readonly string[], weight: number, into: Map<string, number>): void {
  for (const word of words) into.set(word, (into.get(word) ?? 0) + weight);
}

function lexical(query: WeighedQuery, c: Collection, title: Words, body: Words): number {
  const tf = new Map<string, number>();
  counts(title.words, weights.tTitle, tf);
  counts(body.words, 1, tf);
  const length = title.words.length + body.words.length;
  const norm = k1 * (1 - b + (b * length) / c.averageWords);
  let sum = 0;
  for (const [word, weight] of query.words) {
    const n = tf.get(word);
    if (n) sum += (weight * c.idf(word) * n * (k1 + 1)) / (n + norm);
  }
  return sum;
}

function inTitle(query: WeighedQuery, c: Collection, title: Words): number {
  if (title.words.length === 0) return 0;
  const there = new Set(title.words);
  const norm = k1 * (1 - b + (b * title.words.length) / 7);
  let sum = 0;
  for (const [word, weight] of query.words)
    if (there.has(word)) sum += (weight * c.idf(word) * (k1 + 1)) / (1 + norm);
  return sum;
}

function shared(a: ReadonlySet<string>, other: ReadonlySet<string>, c: Collection): number {
  let sum = 0;
  for (const word of a) if (other.has(word)) sum += c.idf(word);
  return sum;
}

function pairScore(query: WeighedQuery, c: Collection, title: Words, body: Words): number {
  const seen = new Set<string>();
  let sum = 0;
  for (const words of [title.words, body.words]) {
    for (let i = 1; i < words.length; i += 1) {
      const [first = "", second = ""] = [words[i - 1], words[i]];
      const pair = `${first} ${second}`;
      if (!query.pairs.has(pair) || seen.has(pair)) continue;
      seen.add(pair);
      sum += c.idf(first) + c.idf(second);
    }
  }
  return sum;
}

function recencyOf(createdAt: string, now: Date): number {
  const hours = Math.max(0, now.getTime() - Date.parse(createdAt)) / 3_600_000;
  return Number.isFinite(hours) ? 1 / (1 + hours / weights.shapeHours) ** weights.shapePow : 0;
}
