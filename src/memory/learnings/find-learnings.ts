import { textQuery } from "../../search/query.ts";
import { type SearchHit, search } from "../../search/search.ts";
import type { Reader } from "../../store/port/db.ts";
import type { FindRequest, FoundMemories, FoundMemory } from "../port/kind-commands.ts";
import { agentView, learningJson, viewOf } from "./learning-view.ts";
import type { Learning } from "./store/learning.ts";
import { learningSource } from "./store/learning-index.ts";
import { compareFacts, counts } from "./store/one-fact.ts";
import { getLearnings, listLearnings } from "./store/read-learnings.ts";

/** Number of hits from which tags select. */
const maxCandidates = 200;

/** Returns the learnings that fit text that someone typed, best first, weak matches included. Does not count as a use. */
export async function findLearnings(q: Reader, request: FindRequest): Promise<FoundMemories> {
  if (request.text === "") return { found: await withTags(q, request), problem: null };
  const { text, limit, now, scope, tags } = request;
  const { hits } = await search(q, {
    query: textQuery(text),
    sources: [learningSource],
    limit: tags.length > 0 ? maxCandidates : limit,
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
  const found = hits.flatMap(({ document, score, parts }): readonly FoundMemory[] => {
    const learning = byId.get(document.id);
    if (!learning || !hasTags(learning, tags)) return [];
    return [toFound(learning, { score, parts })];
  });
  return { found: found.slice(0, limit), problem: null };
}

/** Returns the newest learning, a person's first, that states another value of what `learning` states; undefined: none does. */
export async function replacementOf(q: Reader, learning: Learning, now: Date): Promise<Learning | undefined> {
  const query = textQuery(learning.lesson);
  const request = { query, sources: [learningSource], limit: maxCandidates, now, abstain: false };
  const { hits } = await search(q, request);
  const near = await getLearnings(
    q,
    hits.map(({ document }) => document.id),
  );
  return near
    .filter((one) => compareFacts(one.lesson, learning.lesson) === "differs" && counts(one, learning))
    .toSorted((a, b) => (counts(a, b) ? -1 : 1))[0];
}

/** Tags that every learning has without being stored with them, as in the hivemind (HIVE-2). */
const ownTags: ReadonlySet<string> = new Set(["ralph", "learning"]);

function hasTags({ tags, category }: Learning, wanted: readonly string[]): boolean {
  const known = [...tags, category].map((tag) => tag.toLowerCase());
  return wanted.map((tag) => tag.toLowerCase()).every((tag) => ownTags.has(tag) || known.includes(tag));
}

/** Returns the newest learnings with all tags of a request. */
async function withTags(q: Reader, { tags, scope, limit }: FindRequest): Promise<readonly FoundMemory[]> {
  const [named] = tags.filter((tag) => !ownTags.has(tag.toLowerCase()));
  const filter = { status: ["active", "stale"] as const, ...(scope === null ? {} : { scope }) };
  const listed =
    named === undefined
      ? await listLearnings(q, { ...filter, limit })
      : [
          ...(await listLearnings(q, { ...filter, tag: named })),
          ...(await listLearnings(q, { ...filter, category: named })),
        ];
  const found = new Map(listed.filter((one) => hasTags(one, tags)).map((one) => [one.id, one]));
  const match = { score: 1, parts: { tags: 1 } };
  return [...found.values()].slice(0, limit).map((learning) => toFound(learning, match));
}

function toFound(
  learning: Learning,
  { score, parts }: Pick<SearchHit, "score"> & { readonly parts: object },
): FoundMemory {
  const view = viewOf(learning);
  return {
    id: learning.id,
    score,
    parts: { ...parts, usefulness: 2 * (view.usefulness.standing - 0.5) },
    line: `[${learning.category}] ${learning.lesson}${view.proven ? "" : " (unproven)"}`,
    json: learningJson(view),
    view: agentView(learning),
  };
}
