import { clip } from "../../../base/text.ts";
import { dropNearDuplicates } from "../../../search/drop-near-duplicates.ts";
import { type EmbeddingEndpoint, rerankByEmbedding } from "../../../search/embeddings.ts";
import { taskQuery } from "../../../search/query.ts";
import { type SearchHit, type SearchRequest, search } from "../../../search/search.ts";
import type { Reader } from "../../../store/db.ts";
import { blockersOf } from "../../../tasks/graph.ts";
import type { Task } from "../../../tasks/task.ts";
import type { LeftOut } from "../../memory-kind.ts";
import { isUsable, type Learning } from "../learning.ts";
import { documentsOf, learningSource } from "../store/learning-index.ts";
import { findFixes, getLearnings } from "../store/read-learnings.ts";
import { usefulnessOf } from "./usefulness.ts";

export interface RankSetup extends Pick<SearchRequest, "pause"> {
  readonly now: () => Date;
  /** Ranks by meaning too; absent or null: nothing is asked. */
  readonly embeddings?: EmbeddingEndpoint | null;
  /** Told why an endpoint did not answer. */
  readonly onTrouble?: (why: string) => void;
}

/** So many of the search's best are looked at: what the prompt has no place for is told in `--explain`. */
const maxCandidates = 30;
const maxFixes = 2;
/** What has less than this part of the best one's fit, and nothing named in common with the task, is noise beside it. */
const minShareOfBest = 0.15;

/** A learning that fits a task. */
export interface Candidate {
  readonly learning: Learning;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly fix: boolean;
  /** By meaning, from 1; null when there is no such ranking. */
  readonly place: number | null;
}

export interface RankedLearnings {
  /** Known fixes first, then by score, fused with the ranking by meaning where there is one. */
  readonly candidates: readonly Candidate[];
  readonly leftOut: readonly LeftOut[];
}

/** LEARN-4, FAIL-5: what fits a task, the best first. */
export async function rankLearnings(db: Reader, task: Task, setup: RankSetup): Promise<RankedLearnings> {
  const error = await lastErrorOf(db, task.id);
  const fixes = error.signature === null ? [] : await findFixes(db, error.signature, maxFixes);
  const relatedTasks = [
    task.id,
    ...(task.parentId === null ? [] : [task.parentId]),
    ...(await blockersOf(db, task.id)),
  ];
  const query = taskQuery(task, { lastError: error.output, errorSignature: error.signature, relatedTasks });
  const read = new Map<string, Learning>();
  const source = {
    ...learningSource,
    read: async (q: Reader, ids: readonly string[]) => {
      const learnings = (await getLearnings(q, ids)).filter(isUsable);
      for (const learning of learnings) read.set(learning.id, learning);
      return documentsOf(q, learnings);
    },
  };
  const { hits } = await search(db, {
    query,
    sources: [source],
    limit: maxCandidates,
    now: setup.now(),
    prior: ({ id }) => priorOf(read.get(id)),
    ...(setup.pause ? { pause: setup.pause } : {}),
  });
  const bestFit = Math.max(0, ...hits.map(fitOf));
  const fitting = hits.filter((hit) => !isNoise(hit, bestFit));
  const apart = dropNearDuplicates(fitting);
  const { hits: ordered, ranks, problem } = await rerankByEmbedding(apart, query, setup.embeddings ?? null);
  if (problem !== null) setup.onTrouble?.(problem);
  const known = new Set(fixes.map(({ id }) => id));
  const best = hits[0]?.score ?? 0;
  const ranked = ordered.flatMap((hit): readonly Candidate[] => {
    const learning = read.get(hit.document.id);
    if (!learning || known.has(learning.id)) return [];
    return [candidateOf(learning, hit, ranks.get(hit) ?? null)];
  });
  const first = fixes.map((learning, at): Candidate => {
    const hit = hits.find(({ document }) => document.id === learning.id);
    const parts = { ...(hit ? partsOf(hit) : {}), "known fix": best + fixes.length - at };
    const score = Object.values(parts).reduce((sum, part) => sum + part, 0);
    return { learning, score, parts, fix: true, place: null };
  });
  return { candidates: [...first, ...ranked], leftOut: leftOutOf(hits, { fitting, apart, known }) };
}

/** What was found and is not told, and why. */
function leftOutOf(
  hits: readonly SearchHit[],
  kept: {
    readonly fitting: readonly SearchHit[];
    readonly apart: readonly SearchHit[];
    readonly known: ReadonlySet<string>;
  },
): readonly LeftOut[] {
  const others = hits.filter((hit) => !kept.apart.includes(hit) && !kept.known.has(hit.document.id));
  const doubles = others.filter((hit) => kept.fitting.includes(hit));
  return [
    ...doubles.map(({ document, score }) => ({
      id: document.id,
      reason: `says nearly the same as a better one (score ${score.toFixed(2)})`,
    })),
    ...others
      .filter((hit) => !kept.fitting.includes(hit))
      .map(({ document, score }) => ({
        id: document.id,
        reason: `hardly fits (score ${score.toFixed(1)}): ${clip(document.title, 80)}`,
      })),
  ];
}

interface LastError {
  readonly signature: string | null;
  readonly output: string;
}

/** What the task's last attempt failed with. */
async function lastErrorOf(db: Reader, taskId: string): Promise<LastError> {
  const row = await db.get<{ outcome: string; signature: string | null; output: string | null }>(
    `SELECT outcome, error_signature AS signature, verification_output AS output FROM iteration_outcomes
     WHERE task_id = ? ORDER BY attempt_number DESC LIMIT 1`,
    [taskId],
  );
  if (!row || row.outcome === "done") return { signature: null, output: "" };
  return { signature: row.signature, output: row.output ?? "" };
}

/** How well it fits, however new it is. */
function fitOf({ parts: { recency: _, ...fitting } }: SearchHit): number {
  return Object.values(fitting).reduce((sum, part) => sum + part, 0);
}

/** The newest are found whatever they say, and likeness of a few letters is in any text (LEARN-4). */
function isNoise(hit: SearchHit, best: number): boolean {
  const { files, error, tasks, labels } = hit.parts;
  return files + error + tasks + labels === 0 && fitOf(hit) <= minShareOfBest * best;
}

/** -0.5 to 0.8, what use it was; 0 when nothing is known. */
function priorOf(learning: Learning | undefined): number {
  return learning ? 2 * (usefulnessOf(learning).standing - 0.5) : 0;
}

function candidateOf(learning: Learning, hit: SearchHit, place: number | null): Candidate {
  return { learning, score: hit.score, parts: partsOf(hit), fix: false, place };
}

/** What each part adds to the score: together they are the score. Recency and use multiply what fits. */
function partsOf(hit: SearchHit): Readonly<Record<string, number>> {
  const {
    score,
    parts: { recency, ...fitting },
  } = hit;
  const base = fitOf(hit);
  return { ...fitting, recency: base * recency, usefulness: score - base * (1 + recency) };
}
