import { messageOf, systemCode } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import { redactedText } from "../trust/safe-text.ts";
import type { SearchDocument } from "./document.ts";
import type { SearchQuery } from "./query.ts";
import { addMeaning, learnedWeight } from "./rank/add-meaning.ts";
import type { SearchHit } from "./search.ts";

/** An OpenAI-compatible embeddings endpoint. Used only when the user configures one. */
export interface EmbeddingEndpoint {
  /** Such as `http://127.0.0.1:11434/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** Bearer token; null for none. */
  readonly key: string | null;
  readonly timeoutMs: number;
}

const maxTexts = 50;
const maxCharsEach = 1000;
const maxBytes = 20_000_000;

/** Hits ordered by the sum of their scores by words and by meaning. */
export interface RerankResult {
  readonly hits: readonly SearchHit[];
  /** Each hit's rank by meaning, from 1; empty without such a ranking. */
  readonly ranks: ReadonlyMap<SearchHit, number>;
  /** Why a configured endpoint gave no ranking; null otherwise. */
  readonly problem: string | null;
}

/**
 * Reorders hits by adding what stands out by meaning to the scores by words (`rank/add-meaning.ts`). Returns the hits unchanged when there is no
 * endpoint, when `weight` is 0, or when it fails, times out or returns an invalid response. Sends the redacted query and texts to the endpoint. `weight` is
 * that of meaning, if it was learned.
 */
export async function rerankByEmbedding(
  hits: readonly SearchHit[],
  query: SearchQuery,
  endpoint: EmbeddingEndpoint | null,
  weight?: number,
): Promise<RerankResult> {
  const sent = hits.slice(0, maxTexts);
  const unchanged = { hits, ranks: new Map<SearchHit, number>(), problem: null };
  // A model that the record gives no weight changes no order: nothing is sent to it.
  if (endpoint === null || sent.length < 2 || weight === 0) return unchanged;
  const documents = sent.map(({ document }) => document);
  const cosines = await cosinesOf(query, documents, endpoint).catch((error: unknown) => messageOf(error));
  if (typeof cosines === "string") return { ...unchanged, problem: `${hostOf(endpoint.url)}: ${cosines}` };
  return {
    hits: [...sumScores(sent, cosines, weight), ...hits.slice(maxTexts)],
    ranks: ranksOf(sent, cosines),
    problem: null,
  };
}

/**
 * Returns the weight of meaning for `rerankByEmbedding`, from the comparisons in which a text that helped was closer to its
 * task than another: half the best score by words without any, 0 for a model that agrees as often as chance.
 */
export function weightOfMeaning(record: { readonly pairs: number; readonly agreed: number }): number {
  return learnedWeight(record);
}

/** Returns the similarity of each document to a query, -1 to 1. @throws Error with the reason when the endpoint fails. */
export async function cosinesOf(
  query: SearchQuery,
  documents: readonly SearchDocument[],
  endpoint: EmbeddingEndpoint,
): Promise<readonly number[]> {
  const texts = documents.map(({ title, body }) => `${title}\n${body}`);
  const queryText = [query.title, query.description, query.lastError].filter(Boolean).join("\n");
  const [queryVector = [], ...vectors] = await vectorsFor([queryText, ...texts], endpoint);
  return vectors.map((vector) => cosine(queryVector, vector));
}

/** Orders hits by their scores with meaning added. Hits that fixed the query's error stay first. */
function sumScores(
  hits: readonly SearchHit[],
  cosines: readonly number[],
  weight?: number,
): readonly SearchHit[] {
  const scores = addMeaning(
    hits.map(({ score }) => score),
    cosines,
    weight,
  );
  const scored = hits.map((hit, at) => ({ hit, at, score: scores[at] ?? 0 }));
  scored.sort((a, b) => b.hit.parts.error - a.hit.parts.error || b.score - a.score || a.at - b.at);
  return scored.map(({ hit }) => hit);
}

/** Returns each hit's rank by cosine, from 1. */
function ranksOf(hits: readonly SearchHit[], cosines: readonly number[]): ReadonlyMap<SearchHit, number> {
  const ranked = hits
    .map((hit, at) => ({ hit, at, cosine: cosines[at] ?? 0 }))
    .sort((a, b) => b.cosine - a.cosine || a.at - b.at);
  return new Map(ranked.map(({ hit }, at) => [hit, at + 1]));
}

/** The vectors of texts that an endpoint returned before: a run ranks the same learnings for each task. */
const cachedVectors = new WeakMap<EmbeddingEndpoint, Map<string, readonly number[]>>();
const maxCachedVectors = 1000;

/** Returns one vector per text; sends only texts without a cached one. @throws Error as `embed`. */
async function vectorsFor(
  texts: readonly string[],
  endpoint: EmbeddingEndpoint,
): Promise<readonly (readonly number[])[]> {
  const cached = cachedVectors.get(endpoint) ?? new Map<string, readonly number[]>();
  cachedVectors.set(endpoint, cached);
  if (cached.size > maxCachedVectors) cached.clear();
  const known = new Map(texts.map((text) => [text, cached.get(text)]));
  const missing = [...known.keys()].filter((text) => known.get(text) === undefined);
  const vectors = missing.length > 0 ? await embed(missing, endpoint) : [];
  for (const [at, text] of missing.entries()) {
    known.set(text, vectors[at]);
    cached.set(text, vectors[at] ?? []);
  }
  return texts.map((text) => known.get(text) ?? []);
}

/** Returns the length of an endpoint's vectors. @throws Error with the reason when it returns none. */
export async function embeddingLength(endpoint: EmbeddingEndpoint): Promise<number> {
  const answer = await embed(["a test"], endpoint);
  return answer[0]?.length ?? 0;
}

/** Returns the host of a URL, without the rest, which may contain a key. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "the endpoint";
}

/** Returns one vector per text. @throws Error for a failed request or an invalid response. */
async function embed(
  texts: readonly string[],
  { url, model, key, timeoutMs }: EmbeddingEndpoint,
): Promise<readonly (readonly number[])[]> {
  const input = texts.map((text) => redactedText(text.slice(0, maxCharsEach)));
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model, input }),
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    // The reason is in the cause of the error that fetch throws.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new Error(systemCode(cause) ?? messageOf(cause));
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the endpoint returned status ${response.status}`);
  }
  const vectors = vectorsOf(parseJson(await readBounded(response)), input.length);
  if (!vectors) throw new Error("the response does not have an embedding for each text");
  return vectors;
}

async function readBounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error("the response is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads one vector per text from a response; undefined when it is malformed. */
function vectorsOf(response: unknown, expected: number): readonly (readonly number[])[] | undefined {
  const data = isObject(response) ? response["data"] : undefined;
  if (!Array.isArray(data) || data.length !== expected) return undefined;
  const vectors: (readonly number[])[] = Array.from({ length: expected }, () => []);
  for (const [at, item] of data.entries()) {
    if (!isObject(item)) return undefined;
    const index = Number(item["index"] ?? at);
    if (index in vectors) vectors[index] = numbersOf(item["embedding"]);
  }
  const size = vectors[0]?.length ?? 0;
  return size > 0 && vectors.every((vector) => vector.length === size) ? vectors : undefined;
}

/** Returns the numbers of an array; none when an item is not a finite number. */
function numbersOf(value: unknown): readonly number[] {
  return Array.isArray(value) && value.every((one) => Number.isFinite(one))
    ? (value as readonly number[])
    : [];
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (const [at, x] of a.entries()) {
    const y = b[at] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}
