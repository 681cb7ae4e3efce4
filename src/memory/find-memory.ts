import type { Reader } from "../store/db.ts";
import type { Learning } from "./learnings/learning.ts";
import { learningSource } from "./learnings/learning-index.ts";
import { getLearnings } from "./learnings/read-learnings.ts";
import { usefulnessOf } from "./learnings/usefulness.ts";
import { queryOfText } from "./retrieval/query.ts";
import { search } from "./retrieval/search.ts";

/** A learning that was found, and how well it fits. */
export interface Found {
  readonly learning: Learning;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
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
}

/** Looked at for each that is wanted, as tags narrow what was found. */
const reach = 200;

/** What fits words that someone typed, best first; weak matches too, for people can tell. Marks nothing as used. */
export async function findMemory(q: Reader, request: FindRequest): Promise<readonly Found[]> {
  const { text, limit, now, scope, tags } = request;
  const { hits } = await search(q, {
    query: queryOfText(text),
    sources: [learningSource],
    limit: tags.length > 0 ? reach : limit,
    now,
    abstain: false,
    recency: false,
    ...(scope === null ? {} : { scopes: [scope] }),
  });
  const learnings = await getLearnings(
    q,
    hits.map(({ document }) => document.id),
  );
  const byId = new Map(learnings.map((learning) => [learning.id, learning]));
  const found = hits.flatMap(({ document, score, parts }): readonly Found[] => {
    const learning = byId.get(document.id);
    if (!learning || !tags.every((tag) => learning.tags.includes(tag))) return [];
    return [
      { learning, score, parts: { ...parts, usefulness: 2 * (usefulnessOf(learning).standing - 0.5) } },
    ];
  });
  return found.slice(0, limit);
}
