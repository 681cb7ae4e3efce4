import { type EmbeddingEndpoint, rerankByEmbedding } from "../../../search/embeddings.ts";
import { textQuery } from "../../../search/query.ts";
import { search } from "../../../search/search.ts";
import type { Reader } from "../../../store/db.ts";
import type { Learning } from "../learning.ts";
import { learningSource } from "../store/learning-index.ts";
import { getLearnings } from "../store/read-learnings.ts";
import { type Usefulness, usefulnessOf } from "./usefulness.ts";

/** A learning that was found, and how well it fits. */
interface FoundLearning {
  readonly learning: Learning & { readonly usefulness: Usefulness };
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  /** By meaning, from 1; null where nothing was ranked by it. */
  readonly place: number | null;
}

/** What is looked for. */
export interface FindRequest {
  readonly text: string;
  readonly limit: number;
  readonly now: Date;
  /** Only this scope; null: all. */
  readonly scope: string | null;
  /** Only learnings with all of these tags. */
  readonly tags: readonly string[];
  /** Ranks by meaning too; absent or null: nothing is asked. */
  readonly embeddings?: EmbeddingEndpoint | null;
}

export interface FoundMemory {
  readonly found: readonly FoundLearning[];
  /** Why the endpoint for embeddings did not rank them; null when it did, or was not asked. */
  readonly problem: string | null;
}

/** Looked at for each that is wanted, as tags narrow what was found. */
const candidateReach = 200;

/** What fits words that someone typed, best first; weak matches too, for people can tell. Marks nothing as used. */
export async function findMemory(q: Reader, request: FindRequest): Promise<FoundMemory> {
  const { text, limit, now, scope, tags, embeddings = null } = request;
  const query = textQuery(text);
  const { hits: byWords } = await search(q, {
    query,
    sources: [learningSource],
    limit: tags.length > 0 || embeddings ? candidateReach : limit,
    now,
    abstain: false,
    recency: false,
    ...(scope === null ? {} : { scopes: [scope] }),
  });
  const { hits, ranks, problem } = await rerankByEmbedding(byWords, query, embeddings);
  const learnings = await getLearnings(
    q,
    hits.map(({ document }) => document.id),
  );
  const byId = new Map(learnings.map((learning) => [learning.id, learning]));
  const found = hits.flatMap((hit): readonly FoundLearning[] => {
    const { document, score, parts } = hit;
    const learning = byId.get(document.id);
    if (!learning || !tags.every((tag) => learning.tags.includes(tag))) return [];
    const usefulness = usefulnessOf(learning);
    const all = { ...parts, usefulness: 2 * (usefulness.standing - 0.5) };
    return [{ learning: { ...learning, usefulness }, score, parts: all, place: ranks.get(hit) ?? null }];
  });
  return { found: found.slice(0, limit), problem };
}
