import { lastErrorOf } from "../../outcome/outcome-store.ts";
import { dropNearDuplicates } from "../../search/drop-near-duplicates.ts";
import { hasLikeTitle, type SearchQuery, taskQuery } from "../../search/query.ts";
import { type SearchHit, search } from "../../search/search.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { signatureHash } from "./describe-outcome.ts";
import type { SharedMemory } from "./shared-memory.ts";
import { getShared, sharedProjects, sharedSource } from "./shared-memory-store.ts";

/** Hits from which those that fit are selected. */
const maxCandidates = 20;

/** A record of another project that fits a task. */
export interface ForeignHit {
  readonly memory: SharedMemory;
  readonly score: number;
  /** It solved, or reports, the error of the task's last attempt. */
  readonly sameError: boolean;
}

/** Returns what to search the hivemind for: the task and the error of the last attempt, or of the one before attempt `before`. */
export async function foreignQuery(q: Reader, task: Task, before?: number): Promise<SearchQuery> {
  const error = await lastErrorOf(q, task.id, before);
  return taskQuery(task, {
    lastError: error?.output ?? "",
    errorSignature: error && error.signature !== null ? signatureHash(error.signature) : null,
  });
}

/** Returns the records of other projects that fit best; none when nothing fits well (HIVE-1). `own`: this project's id. */
export async function findForeign(
  hivemind: Reader,
  query: SearchQuery,
  { own, now }: { readonly own: string; readonly now: Date },
): Promise<readonly ForeignHit[]> {
  const scopes = (await sharedProjects(hivemind)).filter((project) => project !== own);
  if (scopes.length === 0) return [];
  const { hits } = await search(hivemind, {
    query,
    sources: [sharedSource],
    scopes,
    limit: maxCandidates,
    now,
    recency: false,
  });
  const fitting = dropNearDuplicates(hits.filter((hit) => fits(hit, query)));
  const memories = new Map(
    (
      await getShared(
        hivemind,
        fitting.map(({ document }) => document.id),
      )
    ).map((memory) => [memory.id, memory]),
  );
  return fitting.flatMap(({ document, score, parts }): readonly ForeignHit[] => {
    const memory = memories.get(document.id);
    return memory ? [{ memory, score, sameError: parts.error > 0 }] : [];
  });
}

/**
 * Reports whether a record is about the same error, or has a title like the task's: of other projects, a match by words of
 * the texts alone is mostly noise (`npm run bench:hivemind`). A record without a title, a learning, is its own title.
 */
function fits({ parts, document }: SearchHit, { title }: SearchQuery): boolean {
  return parts.error > 0 || hasLikeTitle(document.title || document.body, title);
}
