import { messageOf, systemCode } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import { redactedText } from "../trust/safe-text.ts";
import type { Vector } from "./index/vector-store.ts";

/** An OpenAI-compatible embeddings endpoint. Used only when the user configures one. */
export interface EmbeddingEndpoint {
  /** Such as `http://127.0.0.1:11434/v1/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** Bearer token; null for none. */
  readonly key: string | null;
  readonly timeoutMs: number;
}

const maxBytes = 20_000_000;

/** Returns one vector per text, of the same length. Sends the redacted texts. @throws Error for a failed request or an invalid response. */
export async function requestVectors(
  texts: readonly string[],
  { url, model, key, timeoutMs }: EmbeddingEndpoint,
  signal?: AbortSignal,
): Promise<readonly Vector[]> {
  const input = texts.map((text) => redactedText(text));
  const timeout = AbortSignal.timeout(timeoutMs);
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
    body: JSON.stringify({ model, input }),
    redirect: "error",
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
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
function vectorsOf(response: unknown, expected: number): readonly Vector[] | undefined {
  const data = isObject(response) ? response["data"] : undefined;
  if (!Array.isArray(data) || data.length !== expected) return undefined;
  const vectors: Vector[] = Array.from({ length: expected }, () => new Float32Array());
  for (const [at, item] of data.entries()) {
    if (!isObject(item)) return undefined;
    const index = Number(item["index"] ?? at);
    if (index in vectors) vectors[index] = numbersOf(item["embedding"]);
  }
  const size = vectors[0]?.length ?? 0;
  return size > 0 && vectors.every((vector) => vector.length === size) ? vectors : undefined;
}

/** Returns the numbers of an array; none when an item is not a finite number. */
function numbersOf(value: unknown): Vector {
  return Array.isArray(value) && value.every((one) => Number.isFinite(one))
    ? Float32Array.from(value as readonly number[])
    : new Float32Array();
}

/** Returns the length of an endpoint's vectors. @throws Error with the reason when it returns none. */
export async function embeddingLength(endpoint: EmbeddingEndpoint): Promise<number> {
  const answer = await requestVectors(["a test"], endpoint);
  return answer[0]?.length ?? 0;
}

/** Returns why an endpoint failed, with its host: the rest of the URL may contain a key. */
export function problemOf({ url }: EmbeddingEndpoint, error: unknown): string {
  return `${URL.canParse(url) ? new URL(url).host : "the endpoint"}: ${messageOf(error)}`;
}
