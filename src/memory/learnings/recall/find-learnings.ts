import { type EmbeddingEndpoint, rerankByEmbedding } from "../../../search/embeddings.ts";
import { textQuery } from "../../../search/query.ts";
import { search } from "../../../search/search.ts";
import type { Reader } from "../../../store/db.ts";
import type { Learning } from "../learning.ts";
import { learningSource } from "../store/learning-index.ts";
import { getLearnings } from "../store/read-learnings.ts";
import { type Usefulness, usefulnessOf } from "./usefulness.ts";

/** A learning that a search found, with its score. */
interface FoundLearning {
  readonly learning: Learning & { readonly usefulness: Usefulness };
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  /** Rank by meaning, from 1; null without such a ranking. */
  readonly place: number | null;
}

/** A search for learnings by text. */
export interface FindRequest {
  readonly text: string;
  readonly limit: number;
  readonly now: Date;
  /** Only this scope; null for all. */
  readonly scope: string | null;
  /** Only learnings with all of these tags. */
  readonly tags: readonly string[];
  /** Endpoint for ranking by meaning too; absent or null for none. */
  readonly embeddings?: EmbeddingEndpoint | null;
}

export interface FoundMemory {
  readonly found: readonly FoundLearning[];
  /** Why the embeddings endpoint gave no ranking; null when it did, or when there is none. */
  readonly problem: string | null;
}

/** Number of hits from which tags and embeddings select. */
const maxCandidates = 200;

/** Returns the learnings that fit text that someone typed, best first, weak matches included. Does not count as a use. */
export async function findMemory(q: Reader, request: FindRequest): Promise<FoundMemory> {
  const { text, limit, now, scope, tags, embeddings = null } = request;
  const query = textQuery(text);
  const { hits: byWords } = await search(q, {
    query,
    sources: [learningSource],
    limit: tags.length > 0 || embeddings ? maxCandidates : limit,
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
