import { ngramSimilarity } from "./char-ngrams.ts";
import { generalRarity } from "./common-words.ts";
import { contextTokens, labelTokens, type SearchDocument } from "./document.ts";
import { exactEvidence, rarestSharedName } from "./exact-evidence.ts";
import { idealScore, type ScoreParts, type ScoringContext } from "./score.ts";
import { isCharacterPair, isGrammatical } from "./scripts.ts";
import { tokenize } from "./tokenize.ts";
import { contentText, type WeighedQuery } from "./weigh-query.ts";

/** Evidence that the searched documents hold something for the query, from those that rank first. */
export interface SubjectEvidence {
  /** Word score of the first document, relative to the root of the query's ideal score; a logarithm. */
  readonly words: number;
  /** The same times `described`: with a description the ideal score is higher. */
  readonly describedWords: number;
  /** Rarity of the two rarest words that query and first document share, here and in texts of any project: 0 to 2. */
  readonly rareWords: number;
  /** Worth of the query's words that it has, however often; a logarithm. A long query has many by chance. */
  readonly matched: number;
  /** The highest similarity in 4-grams of characters, without function words: any two texts of a language share those. */
  readonly similarity: number;
  /** Rarity of the words that both have, relative to the first document's words: how much of its lesson is this query. */
  readonly covered: number;
  /** Rarity of the rarest name (identifier, file, package, error code) that it has too; 0 for none. */
  readonly names: number;
  /** Share of the title's worth that is words of no document. */
  readonly unknown: number;
  /** Total rarity of the title's words in texts of any project, a logarithm: in a long title more words are without a match. */
  readonly titleRarity: number;
  /** How much text the query has besides its title, 0 to 1. */
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
  /** The same for its rare words, of which each counts by the fourth power of its rarity. */
  readonly shareOfRare: number;
  /** Its rank, a logarithm. */
  readonly rank: number;
}

export interface Evidence {
  readonly subject: SubjectEvidence;
  /** In the order of the documents. */
  readonly lines: readonly LineEvidence[];
  /** The text or fact that is exactly the same in the query and each document; null for none. */
  readonly exact: readonly (string | null)[];
}

interface Ranked {
  readonly document: SearchDocument;
  readonly parts: ScoreParts;
}

/** Number of documents, best first, whose similarity counts. */
const similarDocuments = 5;
/** Smaller and larger stores count as these: no set has as many documents, and few documents say little about rarity. */
const measuredSizes = { min: 30, max: 10_000 };
/** Keeps the logarithms of small scores apart. */
const offset = { words: 0.3, share: 0.02, rare: 0.05 };
/** Rarity of a pair of characters that is grammar: most documents of its language have it. */
const grammarRarity = 0.2;
/** Characters of a body that are compared with the query. */
const similarChars = 500;

/** Returns the evidence for documents, best first; at least one. `among`: the number that was searched. */
export function evidenceOf(ranked: readonly Ranked[], context: ScoringContext, among: number): Evidence {
  const shared = ranked.map(({ document }) => sharedWords(document, context));
  const [best] = ranked;
  const [first] = shared;
  const names = ranked.map(({ document }) => rarestSharedName(document, context));
  const words = Math.log(
    offset.words + (best?.parts.words ?? 0) / Math.sqrt(Math.max(1, idealScore(context))),
  );
  const { described } = context.query;
  const subject = {
    words,
    describedWords: described * words,
    rareWords: first?.rarest ?? 0,
    matched: Math.log1p(first?.worth ?? 0),
    similarity: Math.max(
      0,
      ...ranked.slice(0, similarDocuments).map(({ document }) => similarityOf(document, context)),
    ),
    covered: best ? (first?.rarity ?? 0) / (sizeOf(best.document) + addedWords) : 0,
    names: names[0]?.rarity ?? 0,
    unknown: unknownShare(context),
    titleRarity: titleRarity(context),
    described,
    documents: Math.log(Math.max(measuredSizes.min, Math.min(among, measuredSizes.max))),
    averageWords: Math.log(Math.max(1, context.collection.averageWords)),
  };
  const exact = ranked.map((one, at) => exactEvidence({ ...one, name: names[at] ?? null }, context));
  return { subject, lines: linesOf(ranked, shared), exact };
}

function linesOf(ranked: readonly Ranked[], shared: readonly SharedWords[]): readonly LineEvidence[] {
  const fits = ranked.map(({ parts }) => fitOf(parts));
  const best = Math.max(...fits);
  const bestRare = Math.max(...shared.map(({ rare }) => rare));
  const share = (part: number, whole: number, least: number): number =>
    Math.log(least + (whole > 0 ? part / whole : 0));
  return ranked.map((_, at) => ({
    shareOfBest: share(fits[at] ?? 0, best, offset.share),
    shareOfRare: share(shared[at]?.rare ?? 0, bestRare, offset.rare),
    rank: Math.log(1 + at),
  }));
}

/** Returns a score without recency and usefulness. */
function fitOf({ recency: _, ...fitting }: ScoreParts): number {
  return Object.values(fitting).reduce((sum, part) => sum + part, 0);
}

/** Returns the similarity of the query to a document's text, or to what the document came up at. */
function similarityOf(document: SearchDocument, { query }: ScoringContext): number {
  const { title, body, context } = document;
  const own = contentText([tokenize(title), tokenize(body.slice(0, similarChars))]);
  const texts = [ngramSimilarity(query.contentGrams, own)];
  if (context) texts.push(ngramSimilarity(query.contentGrams, contentText([tokenize(context)])));
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

interface SharedWords {
  /** Worth of the query's words that the document has. */
  readonly worth: number;
  /** Rarity of the two rarest of them, 0 to 2. */
  readonly rarest: number;
  /** Sum of their rarities. */
  readonly rarity: number;
  /** Sum of the fourth powers of their rarities: about the number of rare ones. */
  readonly rare: number;
}

function sharedWords(document: SearchDocument, { query, collection }: ScoringContext): SharedWords {
  let [worth, sum, rare, first, second] = [0, 0, 0, 0, 0];
  for (const [word, weight] of queryWordsIn(document, query)) {
    const idf = collection.idf(word);
    worth += weight * idf;
    const anywhere = isGrammatical(word) ? grammarRarity : generalRarity(word);
    const rarity = (idf / collection.unknown) * anywhere * (query.standIns.get(word) ?? 1);
    sum += rarity;
    rare += rarity ** 4;
    if (rarity > first) [first, second] = [rarity, first];
    else if (rarity > second) second = rarity;
  }
  return { worth, rarest: first + second, rarity: sum, rare };
}

/** Returns the query's words that a document has, with their weights. */
function queryWordsIn(
  document: SearchDocument,
  { words: wanted }: WeighedQuery,
): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const fields = [
    tokenize(document.title),
    tokenize(document.body),
    labelTokens(document),
    contextTokens(document),
  ];
  for (const tokens of fields.flatMap(({ words, parts }) => [words, parts])) {
    for (const word of tokens) {
      const weight = wanted.get(word);
      if (weight !== undefined) found.set(word, weight);
    }
  }
  return found;
}

/** Words that are added to each document: one shared word of two is less evidence than five of ten. */
const addedWords = 4;

/** Returns the number of different words of a document. */
function sizeOf({ title, body }: SearchDocument): number {
  return new Set([...tokenize(title).words, ...tokenize(body).words]).size;
}

/** The share of its worth by which a word counts as unknown that has related ones in the index. */
const replacedShare = 0.5;

function unknownShare({ query, collection }: ScoringContext): number {
  let [unknown, all] = [0, 0];
  const isKnown = (word: string): boolean => collection.idf(word) > 0;
  const pairs = [...query.titleWords].filter(isCharacterPair);
  const known = new Set(pairs.filter(isKnown).join(""));
  for (const word of query.titleWords) {
    if (isGrammatical(word)) continue;
    const worth = collection.idf(word) || collection.unknown;
    if (isCharacterPair(word)) {
      // Pairs overlap, and those across the border of two words are no words: each character counts for itself.
      const characters = [...word];
      const missing = characters.filter((character) => !known.has(character)).length;
      unknown += (0.5 * collection.unknown * missing) / characters.length;
      all += 0.5 * collection.unknown;
      continue;
    }
    if (!isKnown(word)) unknown += query.replaced.has(word) ? replacedShare * worth : worth;
    all += worth;
  }
  return all === 0 ? 0 : unknown / all;
}

function titleRarity({ query }: ScoringContext): number {
  let sum = 0;
  for (const word of query.titleWords) sum += isGrammatical(word) ? 0 : generalRarity(word);
  return Math.log1p(sum);
}
