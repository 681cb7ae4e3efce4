import { sha256 } from "../base/hash.ts";
import type { Db, Reader } from "../store/db.ts";
import type { SearchDocument } from "./document.ts";
import { type EmbeddingEndpoint, problemOf, requestVectors } from "./embeddings.ts";
import { readVectors, storeVectors, type Vector } from "./index/vector-store.ts";
import type { SearchQuery } from "./query.ts";

/** Texts that one request sends. */
const maxTexts = 50;
const maxCharsEach = 1000;
/** Vectors that a process keeps, and texts that wait for a request. */
const maxKept = 1000;
const maxWaiting = 500;

/** A model of meaning: the vectors of texts, from this process, the store, or an endpoint. Opened once per process. */
export interface Meaning {
  /**
   * Returns the similarity of each document to a query, -1 to 1, from vectors that are there. Null while one is missing: the
   * endpoint is asked for it in the background, and this call does not wait.
   */
  known(q: Reader, query: SearchQuery, documents: readonly SearchDocument[]): Promise<Cosines | null>;
  /** Returns the same and waits for the endpoint. @throws Error with the host and the reason when it fails. */
  requested(q: Reader, query: SearchQuery, documents: readonly SearchDocument[]): Promise<Cosines>;
  /** Stores the vectors that came since the last call. A power cut may undo that: they are asked for again. */
  save(db: Db): Promise<void>;
  /** Ends the request in the background. What was missing stays missing. */
  close(): void;
}

export type Cosines = readonly number[];

interface MeaningOptions {
  /** False: `known` never sends a request, as for a preview, which ends before the answer. Default true. */
  readonly asks?: boolean;
  /** Receives the reason when a request in the background fails. */
  readonly onTrouble?: ((why: string) => void) | undefined;
}

/** Opens the model of an endpoint. Sends nothing yet. */
export function openMeaning(
  endpoint: EmbeddingEndpoint,
  { asks = true, onTrouble = () => undefined }: MeaningOptions = {},
): Meaning {
  const { model } = endpoint;
  const kept = new Map<string, Vector>();
  const unsaved = new Map<string, Vector>();
  const requests = openRequests(endpoint, onTrouble, keep);

  function keep(hash: string, vector: Vector): void {
    kept.set(hash, vector);
    unsaved.set(hash, vector);
  }

  /** Returns the vectors of texts, undefined for those that are missing or of another length than the first one. */
  async function find(q: Reader, texts: readonly string[]): Promise<readonly (Vector | undefined)[]> {
    if (kept.size > maxKept) kept.clear();
    const hashes = texts.map((text) => sha256(text));
    const stored = await readVectors(
      q,
      model,
      hashes.filter((hash) => !kept.has(hash)),
    );
    for (const [hash, vector] of stored) kept.set(hash, vector);
    const found = hashes.map((hash) => kept.get(hash));
    const size = found.find((vector) => vector !== undefined)?.length;
    return found.map((vector) => (vector?.length === size ? vector : undefined));
  }

  return {
    known: async (q, query, documents) => {
      const texts = textsOf(query, documents);
      const found = await find(q, texts);
      if (found.every((vector) => vector !== undefined)) return cosinesOf(found);
      if (asks) requests.add(texts.filter((_, at) => found[at] === undefined));
      return null;
    },
    requested: async (q, query, documents) => {
      const texts = textsOf(query, documents);
      const found = await find(q, texts);
      const missing = [...new Set(texts.filter((_, at) => found[at] === undefined))];
      if (missing.length > 0) {
        const vectors = await requestVectors(missing, endpoint).catch((error: unknown) => {
          throw new Error(problemOf(endpoint, error));
        });
        for (const [at, vector] of vectors.entries()) keep(sha256(missing[at] ?? ""), vector);
      }
      return cosinesOf(texts.map((text) => kept.get(sha256(text))));
    },
    save: async (db) => {
      const vectors = new Map(unsaved);
      if (vectors.size === 0) return;
      await db.transaction((tx) => storeVectors(tx, model, vectors), { durable: false });
      for (const [hash, vector] of vectors) if (unsaved.get(hash) === vector) unsaved.delete(hash);
    },
    close: () => requests.close(),
  };
}

/** Sends texts in the background, one request at a time; a failure drops those that wait, and the next recall asks again. */
function openRequests(
  endpoint: EmbeddingEndpoint,
  onTrouble: (why: string) => void,
  keep: (hash: string, vector: Vector) => void,
): { add(texts: readonly string[]): void; close(): void } {
  const waiting = new Set<string>();
  const closed = new AbortController();
  let isAsking = false;

  async function ask(): Promise<void> {
    isAsking = true;
    try {
      while (waiting.size > 0 && !closed.signal.aborted) {
        const texts = [...waiting].slice(0, maxTexts);
        const vectors = await requestVectors(texts, endpoint, closed.signal);
        for (const [at, text] of texts.entries()) {
          waiting.delete(text);
          keep(sha256(text), vectors[at] ?? new Float32Array());
        }
      }
    } catch (error) {
      waiting.clear();
      if (!closed.signal.aborted) onTrouble(problemOf(endpoint, error));
    } finally {
      isAsking = false;
    }
  }

  return {
    add: (texts) => {
      for (const text of texts) if (waiting.size < maxWaiting) waiting.add(text);
      if (!isAsking) void ask();
    },
    close: () => closed.abort(),
  };
}

/** Returns the text of a query whose vector is compared; the error of an attempt is found by its words. */
export function queryText({ title, description }: Pick<SearchQuery, "title" | "description">): string {
  return [title, description].filter(Boolean).join("\n").slice(0, maxCharsEach);
}

export function documentText({ title, body }: Pick<SearchDocument, "title" | "body">): string {
  return `${title}\n${body}`.slice(0, maxCharsEach);
}

function textsOf(query: SearchQuery, documents: readonly SearchDocument[]): readonly string[] {
  return [queryText(query), ...documents.map(documentText)];
}

/** Returns the similarity of the first vector with each other; 0 for one that is missing. */
function cosinesOf([query, ...others]: readonly (Vector | undefined)[]): Cosines {
  return others.map((vector) => (query && vector?.length === query.length ? cosine(query, vector) : 0));
}

function cosine(a: Vector, b: Vector): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (const [at, x] of a.entries()) {
    const y = b[at] ?? 0;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}
