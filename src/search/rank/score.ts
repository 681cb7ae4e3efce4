import { contextOf, labelsOf, type RetrievalDocument } from "../document.ts";
import { sharedTrigrams } from "../text/character-trigrams.ts";
import { errorToken, filedUnder, taskToken, type Words, wordsOf } from "../text/words.ts";
import type { WeighedQuery } from "./weigh-query.ts";

/** What the words are worth: how rare they are in the index, and how long its texts are. */
export interface Collection {
  /** BM25's inverse document frequency, never negative; 0 for a word that the index lacks. */
  idf(word: string): number;
  /** What a word would have that the index lacks. */
  readonly unknown: number;
  readonly averageWords: number;
}

/** Why a document was found. Its score is the sum of all but `recency`, times 1 + `recency`, plus what is known of its use. */
export interface ScoreParts {
  /** BM25 over title, body and the parts of identifiers. */
  readonly words: number;
  /** The whole query against the title alone. */
  readonly title: number;
  /** Words that stand side by side in the query's title and here. */
  readonly pairs: number;
  /** Runs of four characters: other forms of a word, and typing errors. */
  readonly grams: number;
  readonly files: number;
  readonly error: number;
  readonly tasks: number;
  /** Tags of the query that it carries, and folders that both have files in; rare ones more. */
  readonly labels: number;
  readonly recency: number;
}

const k1 = 1.2;
const b = 0.8;
/** Below this many words a text is not better for being shorter. */
const shortest = 23;
/** What one occurrence counts in a field. */
const field = { title: 2, body: 1, part: 1, context: 0.7 };
const titleWords = 7;
/** What full likeness in letters counts: see `ScoreParts.grams`. */
export const trigramsWorth = 25;
/** Chosen on the public sets, see docs/benchmarks.md; files, error, tasks and labels by judgement: no public set has them. */
const weight = { title: 1.75, pairs: 0.2, files: 6, error: 60, tasks: 8, labels: 2, recency: 5 };
/** At this age half of what recency gives is left. */
const recencyHours = 18;
const gramChars = 500;

export interface ScoringContext {
  readonly query: WeighedQuery;
  readonly collection: Collection;
  readonly now: Date;
  readonly recency: boolean;
}

/** How well a document fits a query. */
export function scoreParts(document: RetrievalDocument, context: ScoringContext): ScoreParts {
  const { query, collection } = context;
  const title = wordsOf(document.title);
  const body = wordsOf(document.body);
  return {
    words: inAll(context, { title, body, labels: labelsOf(document), context: contextOf(document) }),
    title: weight.title * inTitle(context, title),
    pairs: weight.pairs * adjacentPairs(query, collection, [title.words, body.words]),
    grams:
      trigramsWorth * sharedTrigrams(query.grams, `${document.title} ${document.body.slice(0, gramChars)}`),
    files: weight.files * document.files.filter((file) => query.files.has(file)).length,
    error: query.error !== "" && query.error === errorToken(document.errorSignature) ? weight.error : 0,
    tasks: query.tasks.has(taskToken(document.taskId)) ? weight.tasks : 0,
    labels: weight.labels * sharedLabels(context, document).reduce((sum, rarity) => sum + rarity, 0),
    recency: context.recency ? weight.recency * freshness(document.createdAt, context.now) : 0,
  };
}

/** The score of a document's parts. */
export function totalScore({ recency, ...parts }: ScoreParts): number {
  return (1 + recency) * Object.values(parts).reduce((sum, part) => sum + part, 0);
}

/** The sum of all words of the query, those that no document has included: the more it asks, the more must be found. */
export function idealScore({ query, collection }: ScoringContext): number {
  let sum = 0;
  for (const [word, counts] of query.words) sum += counts * (collection.idf(word) || collection.unknown);
  return sum;
}

/**
 * Whether it is filed where the query is, under a label that at most about the square root of all documents share: what
 * someone chose to file it under says more than words that happen to be in both.
 */
export function sharesRareLabel(document: RetrievalDocument, context: ScoringContext): boolean {
  return sharedLabels(context, document).some((rarity) => rarity >= context.collection.unknown / 2);
}

/** How rare each label is that query and document share: as rare as the rarest word of a tag, or of a folder's name. */
function sharedLabels({ query, collection }: ScoringContext, document: RetrievalDocument): readonly number[] {
  if (query.labels.size === 0) return [];
  const shared = [...filedUnder(document)].filter((label) => query.labels.has(label));
  return shared.map((label) => {
    const { words, parts } = wordsOf(label.replace(/^.*\/(?=[^/]+\/$)/, ""));
    return Math.max(0, ...[...words, ...parts].map((word) => collection.idf(word)));
  });
}

interface Fields {
  readonly title: Words;
  readonly body: Words;
  readonly labels: Words;
  readonly context: Words;
}

function inAll({ query, collection }: ScoringContext, { title, body, labels, context }: Fields): number {
  const times = new Map<string, number>();
  const take = (words: Iterable<string>, counts: number): void => {
    for (const word of words) if (query.words.has(word)) times.set(word, (times.get(word) ?? 0) + counts);
  };
  take(title.words, field.title);
  take(body.words, field.body);
  take(new Set([...title.parts, ...body.parts, ...labels.words, ...labels.parts]), field.part);
  take(new Set([...context.words, ...context.parts]), field.context);
  const relative = relativeLength(title.words.length + body.words.length, collection.averageWords);
  let sum = 0;
  for (const [word, n] of times) {
    sum += (query.words.get(word) ?? 0) * collection.idf(word) * saturated(n, relative);
  }
  return sum;
}

function inTitle({ query, collection }: ScoringContext, title: Words): number {
  const once = saturated(1, title.words.length / titleWords);
  let sum = 0;
  for (const word of new Set(title.words)) {
    sum += Math.min(1, query.words.get(word) ?? 0) * collection.idf(word) * once;
  }
  return sum;
}

/** What one occurrence of a word counts in a text of so many words. */
export function onceIn(words: number, averageWords: number): number {
  return saturated(1, relativeLength(words, averageWords));
}

function relativeLength(words: number, averageWords: number): number {
  return Math.max(words, shortest) / Math.max(averageWords, shortest);
}

/** BM25's term frequency: each further occurrence counts less, and all less in a long text. */
function saturated(times: number, relative: number): number {
  return (times * (k1 + 1)) / (times + k1 * (1 - b + b * relative));
}

function adjacentPairs(query: WeighedQuery, c: Collection, texts: readonly (readonly string[])[]): number {
  const seen = new Set<string>();
  let sum = 0;
  for (const words of texts) {
    for (let at = 1; at < words.length; at += 1) {
      const [first = "", second = ""] = [words[at - 1], words[at]];
      const pair = query.pairs.get(first)?.has(second) ? `${first} ${second}` : "";
      if (pair === "" || seen.has(pair)) continue;
      seen.add(pair);
      sum += c.idf(first) + c.idf(second);
    }
  }
  return sum;
}

function freshness(createdAt: string, now: Date): number {
  const hours = Math.max(0, now.getTime() - Date.parse(createdAt)) / 3_600_000;
  return Number.isFinite(hours) ? 1 / (1 + hours / recencyHours) : 0;
}
