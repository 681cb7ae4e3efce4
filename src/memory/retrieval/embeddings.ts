import { isObject } from "../../base/json.ts";
import type { Hit } from "./search.ts";

/** An OpenAI-compatible endpoint for embeddings. Off unless the user configures one. */
export interface EmbeddingEndpoint {
  /** Such as `http://127.0.0.1:11434/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token; null for none. */
  readonly key: string | null;
  readonly timeoutMs: number;
}

/** Reciprocal rank fusion's constant (Cormack, Clarke, Buettcher 2009). */
const k = 60;
const atMost = 50;
const chars = 1000;
const maxBytes = 20_000_000;

/**
 * The hits in the order of both rankings, by words and by meaning. Where the endpoint fails, is slow or answers
 * nonsense, the hits come back as they are. What it was asked leaves the machine: the query and the hits' texts.
 */
export async function fuseByMeaning(
  hits: readonly Hit[],
  query: string,
  endpoint: EmbeddingEndpoint,
): Promise<readonly Hit[]> {
  const asked = hits.slice(0, atMost);
  if (asked.length < 2) return hits;
  const texts = asked.map(({ document }) => `${document.title}\n${document.body}`.slice(0, chars));
  const vectors = await embed([query.slice(0, chars), ...texts], endpoint).catch(() => undefined);
  const [wanted, ...found] = vectors ?? [];
  if (!wanted) return hits;
  const closeness = found.map((vector) => cosine(wanted, vector));
  const byMeaning = asked
    .map((_, at) => at)
    .sort((a, b) => (closeness[b] ?? 0) - (closeness[a] ?? 0) || a - b);
  const fused = asked.map((hit, at) => ({ hit, at, rank: 1 / (k + at) + 1 / (k + byMeaning.indexOf(at)) }));
  fused.sort((a, b) => b.hit.parts.error - a.hit.parts.error || b.rank - a.rank || a.at - b.at);
  return [...fused.map(({ hit }) => hit), ...hits.slice(atMost)];
}

/** One vector a text; undefined for an answer that is none. */
async function embed(
  input: readonly string[],
  { url, model, key, timeoutMs }: EmbeddingEndpoint,
): Promise<readonly (readonly number[])[] | undefined> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model, input }),
    redirect: "error",
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) {
    await response.body?.cancel();
    return undefined;
  }
  return vectorsOf(JSON.parse(await readAtMost(response)), input.length);
}

async function readAtMost(response: Response): Promise<string> {
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
