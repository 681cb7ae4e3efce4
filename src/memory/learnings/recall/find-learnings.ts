import { rerankByEmbedding } from "../../../search/embeddings.ts";
import { textQuery } from "../../../search/query.ts";
import { search } from "../../../search/search.ts";
import type { Reader } from "../../../store/db.ts";
import type { FindRequest, FoundMemories, FoundMemory } from "../../kind-commands.ts";
import { agentView, learningJson, viewOf } from "../learning-view.ts";
import { learningSource } from "../store/learning-index.ts";
import { getLearnings } from "../store/read-learnings.ts";

/** Number of hits from which tags and embeddings select. */
const maxCandidates = 200;

/** Returns the learnings that fit text that someone typed, best first, weak matches included. Does not count as a use. */
export async function findLearnings(q: Reader, request: FindRequest): Promise<FoundMemories> {
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
  const found = hits.flatMap((hit): readonly FoundMemory[] => {
    const { document, score, parts } = hit;
    const learning = byId.get(document.id);
    if (!learning || !tags.every((tag) => learning.tags.some((own) => own === tag))) return [];
    const view = viewOf(learning);
    return [
      {
        id: learning.id,
        score,
        parts: { ...parts, usefulness: 2 * (view.usefulness.standing - 0.5) },
        place: ranks.get(hit) ?? null,
        line: `[${learning.category}] ${learning.lesson}`,
        json: learningJson(view),
        view: agentView(learning),
      },
    ];
  });
  return { found: found.slice(0, limit), problem };
}
