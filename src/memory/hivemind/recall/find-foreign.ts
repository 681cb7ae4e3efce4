import { dropNearDuplicates } from "../../../search/drop-near-duplicates.ts";
import { type SearchQuery, sharedStems, taskQuery } from "../../../search/query.ts";
import { type SearchHit, search } from "../../../search/search.ts";
import type { Reader } from "../../../store/db.ts";
import type { Task } from "../../../tasks/task.ts";
import { signatureHash } from "../capture/describe-outcome.ts";
import type { SharedMemory } from "../shared/shared-memory.ts";
import { getShared, sharedProjects, sharedSource } from "../shared/shared-memory-store.ts";

/** Hits from which those that fit are selected. */
const maxCandidates = 20;
/** Minimum number of stems that a record without the task's error shares with the task. */
const minStems = 4;
/** A hit below this share of the best one is noise. */
const minShareOfBest = 0.4;

/** A record of another project that fits a task. */
export interface ForeignHit {
  readonly memory: SharedMemory;
  readonly score: number;
  /** It solved, or reports, the error of the task's last attempt. */
  readonly sameError: boolean;
}

/** Returns what to search the hivemind for: the task and the error of its last attempt. */
export async function foreignQuery(q: Reader, task: Task): Promise<SearchQuery> {
  const row = await q.get<{ outcome: string; signature: string | null; output: string | null }>(
    `SELECT outcome, error_signature AS signature, verification_output AS output FROM iteration_outcomes
     WHERE task_id = ? ORDER BY attempt_number DESC LIMIT 1`,
    [task.id],
  );
  const failed = row !== undefined && row.outcome !== "done";
  return taskQuery(task, {
    lastError: failed ? (row.output ?? "") : "",
    errorSignature: failed && row.signature !== null ? signatureHash(row.signature) : null,
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
  const best = hits[0]?.score ?? 0;
  const fitting = dropNearDuplicates(hits.filter((hit) => fits(hit, query, best)));
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

function fits(hit: SearchHit, query: SearchQuery, best: number): boolean {
  if (hit.parts.error > 0) return true;
  return hit.score >= minShareOfBest * best && sharedStems(query, hit.document) >= minStems;
}
