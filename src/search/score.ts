import { ngramSimilarity } from "./char-ngrams.ts";
import { contextTokens, labelTokens, type SearchDocument } from "./document.ts";
import { isCharacterPair } from "./scripts.ts";
import { errorToken, labelsOf, type TextTokens, taskToken, tokenize } from "./tokenize.ts";
import type { WeighedQuery } from "./weigh-query.ts";

/** Statistics of the index: the rarity of the query's words and the average length. */
export interface CollectionStats {
  /** Returns BM25's inverse document frequency, never negative; 0 for a word that the index lacks. */
  idf(word: string): number;
  /** The inverse document frequency of a word in no document. */
  readonly unknown: number;
  /** Average number of words of a searched document. */
  readonly averageWords: number;
}

/** The parts of a score: the sum of all but `recency`, times 1 + `recency`, before the prior. */
export interface ScoreParts {
  /** BM25 over title, body and the parts of identifiers. */
  readonly words: number;
  /** BM25 of the whole query over the title alone. */
  readonly title: number;
  /** Similarity in 4-grams of characters: other forms of a word, and typing errors. */
  readonly grams: number;
  /** Files that both name. */
  readonly files: number;
  /** The document fixed the query's error. */
  readonly error: number;
  /** The document came from a related task. */
  readonly tasks: number;
  /** Shared tags, and folders in which both have files; rare ones count more. */
  readonly labels: number;
  readonly recency: number;
}

const k1 = 1.2;
const b = 0.8;
/** Shorter texts, in words, gain nothing from being short. */
const minWords = 23;
/** Weight of one occurrence in a fieldWeight. */
const fieldWeight = { title: 2, body: 1, part: 1, context: 0.7 };
/** Typical number of words in a title. */
const titleWords = 7;
/** Score of identical texts in `ScoreParts.grams`. */
const maxNgramScore = 25;
/**
 * Chosen on the public sets (docs/benchmarks.md), but files, error, tasks and labels by judgement: no public set has them. Recency is at most 1:
 * it may double what the words are worth, and never outweighs them.
 */
const weight = { title: 1.75, files: 6, error: 60, tasks: 8, labels: 2, recency: 1 };
/** Age at which half of the recency is left. */
const halfLifeHours = 72;
const gramChars = 500;

export interface ScoringContext {
  readonly query: WeighedQuery;
  readonly collection: CollectionStats;
  readonly now: Date;
  readonly recency: boolean;
}

/** Scores how well a document fits a query. */
export function scoreParts(document: SearchDocument, context: ScoringContext): ScoreParts {
  const { query } = context;
  const title = tokenize(document.title);
  const body = tokenize(document.body);
  return {
    words: wordScore(context, {
      title,
      body,
      labels: labelTokens(document),
      context: contextTokens(document),
    }),
    title: weight.title * titleScore(context, title),
    grams:
      maxNgramScore * ngramSimilarity(query.grams, `${document.title} ${document.body.slice(0, gramChars)}`),
    files: weight.files * document.files.filter((file) => query.files.has(file)).length,
    error: query.error !== "" && query.error === errorToken(document.errorSignature) ? weight.error : 0,
    tasks: query.tasks.has(taskToken(document.taskId)) ? weight.tasks : 0,
    labels: weight.labels * sharedLabels(context, document).reduce((sum, rarity) => sum + rarity, 0),
    recency: context.recency ? weight.recency * freshness(document.createdAt, context.now) : 0,
  };
}

/** Returns the score of its parts. */
export function totalScore({ recency, ...parts }: ScoreParts): number {
  return (1 + recency) * Object.values(parts).reduce((sum, part) => sum + part, 0);
}

/**
 * Of the pairs of characters of a text about every second one lies across the border of two words: one that no document has
 * counts as half a word.
 */
const pairShare = 0.5;

/** Returns the weighted rarity of all words of the query, those in no document included: its score if all matched. */
export function idealScore({ query, collection }: ScoringContext): number {
  let sum = 0;
  for (const [word, weight] of query.words) {
    const share = isCharacterPair(word) ? pairShare : 1;
    sum += weight * (collection.idf(word) || share * collection.unknown);
  }
  return sum;
}

/**
 * Reports whether document and query share a label that at most about the square root of all documents have: a label that
 * someone chose is better evidence than words that happen to be in both.
 */
export function sharesRareLabel(document: SearchDocument, context: ScoringContext): boolean {
  return sharedLabels(context, document).some((rarity) => rarity >= context.collection.unknown / 2);
}

/** Returns the rarity of each shared label: that of the rarest word of the tag or folder name. */
function sharedLabels({ query, collection }: ScoringContext, document: SearchDocument): readonly number[] {
  if (query.labels.size === 0) return [];
  const shared = [...labelsOf(document)].filter((label) => query.labels.has(label));
  return shared.map((label) => {
    const { words, parts } = tokenize(label.replace(/^.*\/(?=[^/]+\/$)/, ""));
    return Math.max(0, ...[...words, ...parts].map((word) => collection.idf(word)));
  });
}

interface FieldTokens {
  readonly title: TextTokens;
  readonly body: TextTokens;
  readonly labels: TextTokens;
  readonly context: TextTokens;
}

function wordScore(
  { query, collection }: ScoringContext,
  { title, body, labels, context }: FieldTokens,
): number {
  const frequencies = new Map<string, number>();
  const count = (words: Iterable<string>, weight: number): void => {
    for (const word of words)
      if (query.words.has(word)) frequencies.set(word, (frequencies.get(word) ?? 0) + weight);
  };
  count(title.words, fieldWeight.title);
  count(body.words, fieldWeight.body);
  count(new Set([...title.parts, ...body.parts, ...labels.words, ...labels.parts]), fieldWeight.part);
  count(new Set([...context.words, ...context.parts]), fieldWeight.context);
  const relative = relativeLength(title.words.length + body.words.length, collection.averageWords);
  let sum = 0;
  for (const [word, frequency] of frequencies) {
    sum += (query.words.get(word) ?? 0) * collection.idf(word) * saturated(frequency, relative);
  }
  return sum;
}

function titleScore({ query, collection }: ScoringContext, title: TextTokens): number {
  const once = saturated(1, title.words.length / titleWords);
  let sum = 0;
  for (const word of new Set(title.words)) {
    sum += Math.min(1, query.words.get(word) ?? 0) * collection.idf(word) * once;
  }
  return sum;
}

/** Returns BM25's term frequency factor of one occurrence in a text of `words` words. */
export function onceIn(words: number, averageWords: number): number {
  return saturated(1, relativeLength(words, averageWords));
}

function relativeLength(words: number, averageWords: number): number {
  return Math.max(words, minWords) / Math.max(averageWords, minWords);
}

/** BM25's term frequency factor: further occurrences count less, and all count less in a long text. */
function saturated(frequency: number, relative: number): number {
  return (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + b * relative));
}

function freshness(createdAt: string, now: Date): number {
  const hours = Math.max(0, now.getTime() - Date.parse(createdAt)) / 3_600_000;
  return Number.isFinite(hours) ? 1 / (1 + hours / halfLifeHours) : 0;
}
