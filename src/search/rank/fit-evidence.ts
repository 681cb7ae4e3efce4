import { contextTokens, labelTokens, type SearchDocument } from "../document.ts";
import { ngramSimilarity } from "../text/char-ngrams.ts";
import { isCharacterPair } from "../text/scripts.ts";
import { tokenize } from "../text/tokenize.ts";
import { type ExactEvidence, exactEvidence, rarestSharedName, sharedRun } from "./exact-evidence.ts";
import { idealScore, maxNgramScore, type ScoreParts, type ScoringContext } from "./score.ts";

/** Evidence that the searched documents hold something for the query, from those that rank first. */
export interface SubjectEvidence {
  /** Word score of the first document, relative to the root of the query's ideal score; a logarithm. */
  readonly words: number;
  /** Worth of the query's words that it has, however often; a logarithm. A long query has many by chance. */
  readonly matched: number;
  /** The highest similarity in 4-grams of characters. */
  readonly similarity: number;
  /** The largest share of a document's words that the query has. */
  readonly covered: number;
  /** Rarity of the rarest name (identifier, file, package, error code) that both have; 0 for none. */
  readonly names: number;
  /** Share of the title's worth that is words of no document. */
  readonly unknown: number;
  /** 1 if the query has more than a title. */
  readonly described: number;
  /** Number of searched documents, a logarithm: the best of many fits better by chance. */
  readonly documents: number;
  /** Their average number of words, a logarithm. */
  readonly averageWords: number;
}

/** Evidence that a document is the one that fits, if any does. */
export interface LineEvidence {
  /** Its fit relative to the best document's; a logarithm. */
  readonly shareOfBest: number;
  /** The same for its word score alone. */
  readonly shareOfWords: number;
  /** The same for the worth of the query's words that it has, however often. */
  readonly shareOfMatched: number;
  /** Its rank, a logarithm. */
  readonly rank: number;
  /** How far the best document is ahead of the second; a logarithm. */
  readonly lead: number;
  /** Worth of adjacent words of the title that it has too; a logarithm. */
  readonly pairs: number;
}

export interface Evidence {
  readonly subject: SubjectEvidence;
  /** In the order of the documents. */
  readonly lines: readonly LineEvidence[];
  /** The text or fact that is exactly the same in the query and each document; null for none. */
  readonly exact: readonly (ExactEvidence | null)[];
}

interface Ranked {
  readonly document: SearchDocument;
  readonly parts: ScoreParts;
}

/** Number of documents, best first, that the evidence about the query's subject is taken from. */
const subjectDocuments = 5;
/** Smaller and larger stores count as these: no set has as many documents, and few documents say little about rarity. */
const measuredSizes = { min: 30, max: 10_000 };
/** Keeps the logarithms of small scores apart. */
const offset = { words: 0.3, share: 0.02 };

/** Returns the evidence for documents, best first; at least one. `among`: the number that was searched. */
export function evidenceOf(ranked: readonly Ranked[], context: ScoringContext, among: number): Evidence {
  const texts = ranked.map(({ document }) => [tokenize(document.title), tokenize(document.body)]);
  const names = ranked.map(({ document }) => rarestSharedName(document, context));
  const first = ranked.slice(0, subjectDocuments);
  const best = ranked[0];
  const matched = ranked.map(({ document }) => matchedWorth(document, context));
  const subject = {
    words: Math.log(offset.words + (best?.parts.words ?? 0) / Math.sqrt(Math.max(1, idealScore(context)))),
    matched: Math.log1p(matched[0] ?? 0),
    similarity: Math.max(0, ...first.map((one) => similarityOf(one, context))),
    covered: Math.max(0, ...first.map(({ document }) => coveredShare(document, context))),
    names: Math.max(0, ...names.slice(0, subjectDocuments).map((name) => name?.rarity ?? 0)),
    unknown: unknownShare(context),
    described: context.query.described ? 1 : 0,
    documents: Math.log(Math.min(measuredSizes.max, Math.max(measuredSizes.min, among))),
    averageWords: Math.log(Math.max(1, context.collection.averageWords)),
  };
  const exact = ranked.map(({ document, parts }, at) =>
    exactEvidence(
      document,
      { parts, name: names[at] ?? null, run: sharedRun(texts[at] ?? [], context) },
      context,
    ),
  );
  return { subject, lines: linesOf(ranked, matched), exact };
}

function linesOf(ranked: readonly Ranked[], matched: readonly number[]): readonly LineEvidence[] {
  const fits = ranked.map(({ parts }) => fitOf(parts));
  const [best = 0, second = 0] = fits.toSorted((a, b) => b - a);
  const bestWords = Math.max(...ranked.map(({ parts }) => parts.words));
  const bestMatched = Math.max(...matched);
  const share = (part: number, whole: number): number =>
    Math.log(offset.share + (whole > 0 ? part / whole : 0));
  return ranked.map(({ parts }, at) => ({
    shareOfBest: share(fits[at] ?? 0, best),
    shareOfWords: share(parts.words, bestWords),
    shareOfMatched: share(matched[at] ?? 0, bestMatched),
    rank: Math.log(1 + at),
    lead: Math.log((best + 1) / (second + 1)),
    pairs: Math.log1p(parts.pairs),
  }));
}

/** Returns a score without recency and usefulness. */
function fitOf({ recency: _, ...fitting }: ScoreParts): number {
  return Object.values(fitting).reduce((sum, part) => sum + part, 0);
}

/** Returns the similarity of the query to a document's text, or to what the document came up at. */
function similarityOf({ document, parts }: Ranked, { query }: ScoringContext): number {
  const texts = [parts.grams / maxNgramScore];
  if (document.context) texts.push(ngramSimilarity(query.grams, document.context));
  // In scripts whose words are pairs of characters, four characters in a row are rarely the same.
  if ([...query.titleWords].some(isCharacterPair)) texts.push(wordSimilarity(query.titleWords, document));
  return Math.max(...texts);
}

/** Returns the cosine similarity of two texts' words. */
function wordSimilarity(wanted: ReadonlySet<string>, { title, body }: SearchDocument): number {
  const own = new Set([...tokenize(title).words, ...tokenize(body).words]);
  const shared = [...wanted].filter((word) => own.has(word)).length;
  return shared / Math.sqrt(Math.max(1, wanted.size * own.size));
}

function matchedWorth(document: SearchDocument, { query, collection }: ScoringContext): number {
  const fields = [
    tokenize(document.title),
    tokenize(document.body),
    labelTokens(document),
    contextTokens(document),
  ];
  const counted = new Set<string>();
  let worth = 0;
  for (const { words, parts } of fields) {
    for (const tokens of [words, parts]) {
      for (const word of tokens) {
        const weight = query.words.get(word);
        if (weight === undefined || counted.has(word)) continue;
        counted.add(word);
        worth += weight * collection.idf(word);
      }
    }
  }
  return worth;
}

/** Words that are added to each document: one shared word of two is less evidence than five of ten. */
const addedWords = 4;

function coveredShare({ title, body }: SearchDocument, { query }: ScoringContext): number {
  const own = new Set([...tokenize(title).words, ...tokenize(body).words]);
  let shared = 0;
  for (const word of own) if (query.words.has(word)) shared += 1;
  return shared / (own.size + addedWords);
}

/** The share of its worth by which a word counts as unknown that has related ones in the index. */
const replacedShare = 0.5;

function unknownShare({ query, collection }: ScoringContext): number {
  let [unknown, all] = [0, 0];
  const isKnown = (word: string): boolean => collection.idf(word) > 0;
  const known = new Set([...query.titleWords].filter(isKnown).join(""));
  for (const word of query.titleWords) {
    // A pair of characters across the border of two known words is no word.
    if (!isKnown(word) && isCharacterPair(word) && [...word].every((character) => known.has(character)))
      continue;
    const worth = collection.idf(word) || collection.unknown;
    if (!isKnown(word)) unknown += query.replaced.has(word) ? replacedShare * worth : worth;
    all += worth;
  }
  return all === 0 ? 0 : unknown / all;
}
