import { textQuery } from "../../search/query.ts";
import { search } from "../../search/search.ts";
import type { Reader } from "../../store/port/db.ts";
import type { StoredMemory } from "./shared-memory.ts";
import { getShared, listShared, sharedSource } from "./shared-memory-store.ts";

/** Number of hits from which tags select. */
const maxCandidates = 200;

/** A search of the hivemind by typed words, or by tags alone. */
export interface RecordSearch {
  /** "": the newest records with all of the tags. */
  readonly text: string;
  readonly tags: readonly string[];
  readonly limit: number;
  readonly now: Date;
  /** Return nothing rather than weak matches. */
  readonly abstain: boolean;
}

export interface FoundRecord {
  readonly memory: StoredMemory;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
}

/** Finds the records that fit, best first. */
export async function findRecords(hivemind: Reader, request: RecordSearch): Promise<readonly FoundRecord[]> {
  const { text, limit, now, abstain } = request;
  const tags = request.tags.map((tag) => tag.toLowerCase());
  if (text === "") {
    const listed = await listShared(hivemind, { tags, limit });
    return listed.map((memory) => ({ memory, score: 1, parts: { tags: 1 } }));
  }
  const { hits } = await search(hivemind, {
    query: textQuery(text),
    sources: [sharedSource],
    limit: tags.length > 0 ? maxCandidates : limit,
    now,
    abstain,
    recency: false,
  });
  const found = await getShared(
    hivemind,
    hits.map(({ document }) => document.id),
  );
  const byId = new Map(found.map((memory) => [memory.id, memory]));
  return hits
    .flatMap(({ document, score, parts }): readonly FoundRecord[] => {
      const memory = byId.get(document.id);
      return memory && hasTags(memory, tags) ? [{ memory, score, parts: { ...parts } }] : [];
    })
    .slice(0, limit);
}

function hasTags(memory: StoredMemory, tags: readonly string[]): boolean {
  const own = memory.tags.map((tag) => tag.toLowerCase());
  return tags.every((tag) => own.includes(tag));
}
