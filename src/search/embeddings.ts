import { messageOf, systemCode } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import { redact } from "../trust/redact.ts";
import type { RetrievalQuery } from "./query.ts";
import type { SearchHit } from "./search.ts";

/** An OpenAI-compatible endpoint for embeddings. Off unless the user configures one. */
export interface EmbeddingEndpoint {
  /** Such as `http://127.0.0.1:11434/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token; null for none. */
  readonly key: string | null;
  readonly timeoutMs: number;
}

/**
 * The weight of the cosine, where the best hit by words scores 1. A weak model then reorders only what fits about equally
 * well; fusing the two ranks with equal weight lost a third of the right lessons to one.
 */
const meaningWeight = 0.2;
const maxTexts = 50;
const chars = 1000;
const maxBytes = 20_000_000;

/** Hits in the order of their scores by words and by meaning. */
export interface Fused {
  readonly hits: readonly SearchHit[];
  /** Each hit's place by meaning, from 1; empty when there is no such ranking. */
  readonly places: ReadonlyMap<SearchHit, number>;
  /** Why there is none, when the endpoint was asked. */
  readonly problem: string | null;
}

/**
 * Adds likeness by meaning to the scores by words. Where the endpoint fails, is slow or answers nonsense, or there is
 * none, the hits come back as they are. What it is asked leaves the machine: the query and the hits' texts, redacted.
 */
export async function fuseByMeaning(
  hits: readonly SearchHit[],
  query: RetrievalQuery,
  endpoint: EmbeddingEndpoint | null,
): Promise<Fused> {
  const asked = hits.slice(0, maxTexts);
  const unfused = { hits, places: new Map<SearchHit, number>(), problem: null };
  if (endpoint === null || asked.length < 2) return unfused;
  const texts = asked.map(({ document }) => `${document.title}\n${document.body}`);
  const wanted = [query.title, query.description, query.lastError].filter(Boolean).join("\n");
  const answer = await embed([wanted, ...texts], endpoint).catch((error: unknown) => messageOf(error));
  if (typeof answer === "string") return { ...unfused, problem: `${hostOf(endpoint.url)}: ${answer}` };
  const [first = [], ...found] = answer;
  const cosines = found.map((vector) => cosine(first, vector));
  return {
    hits: [...sumScores(asked, cosines), ...hits.slice(maxTexts)],
    places: placesOf(asked, cosines),
    problem: null,
  };
}

/**
 * Orders hits by the sum of both scores: that by words as a part of the best hit's, and the cosine scaled to 0 to 1 over
 * the hits. What fixed this very error stays first.
 */
function sumScores(hits: readonly SearchHit[], cosines: readonly number[]): readonly SearchHit[] {
  const best = Math.max(...hits.map(({ score }) => score));
  const least = Math.min(...cosines);
  const range = Math.max(...cosines) - least;
  const scored = hits.map((hit, at) => {
    const words = best > 0 ? hit.score / best : 0;
    const meaning = range > 0 ? ((cosines[at] ?? least) - least) / range : 0;
    return { hit, at, score: words + meaningWeight * meaning };
  });
  scored.sort((a, b) => b.hit.parts.error - a.hit.parts.error || b.score - a.score || a.at - b.at);
  return scored.map(({ hit }) => hit);
}

/** Each hit's rank by cosine, from 1. */
function placesOf(hits: readonly SearchHit[], cosines: readonly number[]): ReadonlyMap<SearchHit, number> {
  const ranked = hits
    .map((hit, at) => ({ hit, at, cosine: cosines[at] ?? 0 }))
    .sort((a, b) => b.cosine - a.cosine || a.at - b.at);
  return new Map(ranked.map(({ hit }, at) => [hit, at + 1]));
}

/** How long the vectors of an endpoint are. @throws Error with what it answered instead. */
export async function vectorSize(endpoint: EmbeddingEndpoint): Promise<number> {
  const answer = await embed(["a test"], endpoint);
  return answer[0]?.length ?? 0;
}

/** An address may hold a key. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "the endpoint";
}

/** One vector a text. @throws Error for an answer that is none. */
async function embed(
  texts: readonly string[],
  { url, model, key, timeoutMs }: EmbeddingEndpoint,
): Promise<readonly (readonly number[])[]> {
  const input = texts.map((text) => redact(text.slice(0, chars)));
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model, input }),
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((error: unknown) => {
    // What fetch throws tells nothing; its cause does.
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    throw new Error(systemCode(cause) ?? messageOf(cause));
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`it answered with status ${response.status}`);
  }
  const vectors = vectorsOf(parseJson(await readBounded(response)), input.length);
  if (!vectors) throw new Error("its answer holds no embedding for each text");
  return vectors;
}

async function readBounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > maxBytes) throw new Error("the answer is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function vectorsOf(answer: unknown, wanted: number): readonly (readonly number[])[] | undefined {
  const data = isObject(answer) ? answer["data"] : undefined;
  if (!Array.isArray(data) || data.length !== wanted) return undefined;
  const vectors: (readonly number[])[] = Array.from({ length: wanted }, () => []);
  for (const [at, item] of data.entries()) {
    if (!isObject(item)) return undefined;
    const place = Number(item["index"] ?? at);
    if (place in vectors) vectors[place] = numbersOf(item["embedding"]);
  }
  const size = vectors[0]?.length ?? 0;
  return size > 0 && vectors.every((vector) => vector.length === size) ? vectors : undefined;
}

/** None where one of them is no number. */
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
