import { clip } from "../../base/text.ts";
import { lastErrorOf } from "../../outcome/outcome-store.ts";
import { dropNearDuplicates } from "../../search/drop-near-duplicates.ts";
import { hasLikeTitle, type SearchQuery, sharedStems, taskQuery } from "../../search/query.ts";
import { type SearchHit, type SearchRequest, type SearchResult, search } from "../../search/search.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { blockersOf } from "../../tasks/graph/task-graph.ts";
import type { LeftOut } from "../port/memory-kind.ts";
import { isFixLesson } from "./known-fix.ts";
import { oneLinePerFact } from "./one-line-per-fact.ts";
import { isProven, isSummary, isUsable, type Learning } from "./store/learning.ts";
import { documentsOf, learningSource } from "./store/learning-index.ts";
import { findFixes, getLearnings, unprovenOf } from "./store/read-learnings.ts";
import { usefulnessOf } from "./store/usefulness.ts";

export interface RankSetup extends Pick<SearchRequest, "pause"> {
  readonly now: () => Date;
}

/** Maximum number of hits to rank. `--explain` lists those that do not go into the prompt. */
const maxCandidates = 30;
const maxFixes = 2;
/** Number of known fixes from which the proven ones are taken first. */
const readFixes = 100;
/** Maximum number of learnings that probably do not fit to list with their probability. */
const maxSilenced = 5;

/** A learning that fits a task. */
export interface Candidate {
  readonly learning: Learning;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly fix: boolean;
  /** Why a model chose it, in its words; absent: none did. */
  readonly why?: string;
}

export interface RankedLearnings {
  /** Known fixes first, then proven ones, then the word of an agent alone; each by score. */
  readonly candidates: readonly Candidate[];
  readonly leftOut: readonly LeftOut[];
}

/** The results of a search for a task, before they are ordered. */
export interface SearchedLearnings {
  readonly query: SearchQuery;
  readonly fixes: readonly Learning[];
  readonly read: ReadonlyMap<string, Learning>;
  readonly result: SearchResult;
}

/** The fields of a task that a search uses. */
export type SearchedTask = Parameters<typeof taskQuery>[0] & Pick<Task, "id" | "parentId">;

/** Ranks the learnings that fit a task, best first (LEARN-4, FAIL-5). */
export async function rankLearnings(
  db: Reader,
  task: SearchedTask,
  setup: RankSetup,
): Promise<RankedLearnings> {
  return orderLearnings(await searchLearnings(db, task, setup));
}

/** Finds the learnings that fit a task. */
export async function searchLearnings(
  db: Reader,
  task: SearchedTask,
  setup: RankSetup,
): Promise<SearchedLearnings> {
  const error = (await lastErrorOf(db, task.id)) ?? { signature: null, output: "" };
  const known = error.signature === null ? [] : await findFixes(db, error.signature, readFixes);
  const fixes = known.toSorted((a, b) => Number(isProven(b)) - Number(isProven(a))).slice(0, maxFixes);
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
    inDoubt: unprovenOf,
  };
  const result = await search(db, {
    query,
    sources: [source],
    limit: maxCandidates,
    now: setup.now(),
    prior: ({ id }) => priorOf(read.get(id)),
    ...(setup.pause ? { pause: setup.pause } : {}),
  });
  return { query, fixes, read, result };
}

/** Orders what a search found, and drops near-duplicates. */
export function orderLearnings({
  query,
  fixes,
  read,
  result: { hits, silenced },
}: SearchedLearnings): RankedLearnings {
  const facts = oneLinePerFact(
    hits.filter((hit) => !isOfOther(hit, read.get(hit.document.id), query)),
    silenced,
    read,
  );
  const fitting = facts.kept;
  const distinct = dropNearDuplicates(fitting);
  const known = new Set(fixes.map(({ id }) => id));
  const best = hits[0]?.score ?? 0;
  const doubtful = (hit: SearchHit): boolean => isInDoubt(read.get(hit.document.id));
  const ordered = [...distinct.filter((hit) => !doubtful(hit)), ...distinct.filter(doubtful)];
  const ranked = ordered.flatMap((hit): readonly Candidate[] => {
    const learning = read.get(hit.document.id);
    return !learning || known.has(learning.id) ? [] : [candidateOf(learning, hit)];
  });
  const first = fixes.map((learning, at): Candidate => {
    const hit = [...hits, ...silenced].find(({ document }) => document.id === learning.id);
    const parts = { ...(hit ? partsOf(hit) : {}), "known fix": best + fixes.length - at };
    const score = Object.values(parts).reduce((sum, part) => sum + part, 0);
    return { learning, score, parts, fix: true };
  });
  const settled = new Set(facts.leftOut.map(({ id }) => id));
  const stating = hits.filter(({ document }) => !settled.has(document.id));
  const unknown = silenced.filter(({ document }) => !known.has(document.id));
  return {
    candidates: [...first, ...ranked],
    leftOut: [...facts.leftOut, ...leftOutOf(stating, { fitting, distinct, known }), ...silencedOf(unknown)],
  };
}

/** Reports whether only the word of an agent speaks for a learning. */
function isInDoubt(learning: Learning | undefined): boolean {
  return learning === undefined || !isProven(learning);
}

/** Returns the hits that are not candidates, with the reasons. */
function leftOutOf(
  hits: readonly SearchHit[],
  kept: {
    readonly fitting: readonly SearchHit[];
    readonly distinct: readonly SearchHit[];
    readonly known: ReadonlySet<string>;
  },
): readonly LeftOut[] {
  const others = hits.filter((hit) => !kept.distinct.includes(hit) && !kept.known.has(hit.document.id));
  const duplicates = others.filter((hit) => kept.fitting.includes(hit));
  return [
    ...duplicates.map(({ document, score }) => ({
      id: document.id,
      reason: `near-duplicate of a better one (score ${score.toFixed(2)})`,
    })),
    ...others
      .filter((hit) => !kept.fitting.includes(hit))
      .map(({ document, score }) => ({
        id: document.id,
        reason: `of another error or task (score ${score.toFixed(1)}): ${clip(document.title, 80)}`,
      })),
  ];
}

/** Returns the hits that probably do not fit, with that probability (PROMPT-4). */
function silencedOf(silenced: readonly SearchHit[]): readonly LeftOut[] {
  return silenced.slice(0, maxSilenced).map(({ document, fit }) => ({
    id: document.id,
    reason: `weak match (probability to fit ${(fit?.probability ?? 0).toFixed(2)}): ${clip(document.title, 80)}`,
  }));
}

/** Returns a hit's score without recency and usefulness. */
function fitOf({ parts: { recency: _, ...fitting } }: SearchHit): number {
  return Object.values(fitting).reduce((sum, part) => sum + part, 0);
}

/** Minimum number of common stems for a fix that was learned from another error. */
const minFixStems = 2;

/** Reports whether a fix or summary that was built from facts is about something else than the task. */
function isOfOther(hit: SearchHit, learning: Learning | undefined, query: SearchQuery): boolean {
  if (learning === undefined) return false;
  const { error, tasks } = hit.parts;
  if (isSummary(learning)) return error + tasks === 0 && !hasLikeTitle(hit.document.title, query.title);
  return isFixOfOther(hit, learning, query);
}

/** Reports whether a fix that was built from facts has at most one stem in common with the task. */
function isFixOfOther(hit: SearchHit, learning: Learning, query: SearchQuery): boolean {
  if (!isFixLesson(learning)) return false;
  const { files, error, tasks, labels } = hit.parts;
  return files + error + tasks + labels === 0 && sharedStems(query, hit.document) < minFixStems;
}

/** Returns a learning's usefulness as a prior, -0.5 to 0.8; 0 when nothing is known. */
function priorOf(learning: Learning | undefined): number {
  return learning ? 2 * (usefulnessOf(learning).standing - 0.5) : 0;
}

function candidateOf(learning: Learning, hit: SearchHit): Candidate {
  return { learning, score: hit.score, parts: partsOf(hit), fix: false };
}

/** Returns what each part adds to the score. Recency and usefulness multiply the fit. */
function partsOf(hit: SearchHit): Readonly<Record<string, number>> {
  const {
    score,
    parts: { recency, ...fitting },
  } = hit;
  const base = fitOf(hit);
  return { ...fitting, recency: base * recency, usefulness: score - base * (1 + recency) };
}
