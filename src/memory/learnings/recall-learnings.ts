import { clip, count } from "../../base/text.ts";
import type { Reader } from "../../store/db.ts";
import { blockersOf } from "../../tasks/graph.ts";
import type { Task } from "../../tasks/task.ts";
import type { LeftOut, MemoryItem, Recalled, RecallRequest } from "../memory-kind.ts";
import { distinct } from "../retrieval/distinct.ts";
import { type EmbeddingEndpoint, fuseByMeaning } from "../retrieval/embeddings.ts";
import { queryOf } from "../retrieval/query.ts";
import { countIndexed } from "../retrieval/rebuild-index.ts";
import { type Hit, type SearchRequest, search } from "../retrieval/search.ts";
import { type Freshness, freshnessOf } from "./cite-files.ts";
import { isHeldOut } from "./hold-out.ts";
import lead from "./lead.md";
import { isUsable, type Learning } from "./learning.ts";
import { documentsOf, learningSource } from "./learning-index.ts";
import { findFixes, getLearnings } from "./read-learnings.ts";
import { renderLearning } from "./render-learning.ts";
import { usefulnessOf } from "./usefulness.ts";

export interface RecallSetup {
  readonly root: string;
  /** At most so many learnings in a prompt. */
  readonly maxLearnings: number;
  /** The share of iterations that get none, to measure them. */
  readonly holdout: number;
  readonly now: () => Date;
  /** Ranks by meaning too; absent or null: nothing is asked. */
  readonly embeddings?: EmbeddingEndpoint | null;
  /** Told why an endpoint did not answer. */
  readonly onTrouble?: (why: string) => void;
}

/** So many of the search's best are looked at: what the prompt has no place for is told in `--explain`. */
const lookedAt = 30;
const maxFixes = 2;
const toldLeftOut = 20;
/** What has less than this part of the best one's fit, and nothing named in common with the task, is noise beside it. */
const leastOfBest = 0.15;

/** A learning that is to be shown, or why it is not. */
interface Candidate {
  readonly learning: Learning;
  readonly score: number;
  readonly parts: Readonly<Record<string, number>>;
  readonly fix: boolean;
  /** By meaning, from 1; null when there is no such ranking. */
  readonly place: number | null;
}

/** What fits a task, the best first. `pause`: see the search's. */
export async function findFor(
  db: Reader,
  task: Task,
  setup: RecallSetup & Pick<SearchRequest, "pause">,
): Promise<Found> {
  const error = await lastErrorOf(db, task.id);
  return find(db, task, { error, now: setup.now(), setup });
}

/**
 * LEARN-4, LEARN-5, LEARN-7, FAIL-5: the few learnings that fit the task best, of what was `found` for it. Nothing where
 * nothing fits well.
 */
export async function recallLearnings(
  db: Reader,
  request: RecallRequest,
  { setup, found }: { readonly setup: RecallSetup; readonly found: Found },
): Promise<readonly Recalled[]> {
  const now = setup.now();
  const { chosen, leftOut: close } = await choose(found, setup);
  const leftOut = await withOthers(db, close, chosen.length);
  if (chosen.length === 0 && leftOut.length === 0) return [];
  const held = isHeldOut(setup.holdout, request.runId, request.iteration);
  return [
    {
      section: "learnings",
      heading: "### Learnings from Previous Iterations",
      lead: lead.trim(),
      items: chosen.map(({ candidate, stale }) => itemOf(candidate, { now, stale })),
      tail: "",
      drop: "detail",
      leftOut,
      ...(held ? { withheld: `held out: ${setup.holdout} of all iterations get no learnings` } : {}),
    },
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

export interface Found {
  /** Known fixes first, then by score, fused with the ranking by meaning where there is one. */
  readonly candidates: readonly Candidate[];
  readonly leftOut: readonly LeftOut[];
}

async function find(
  db: Reader,
  task: Task,
  {
    error,
    now,
    setup,
  }: {
    readonly error: LastError;
    readonly now: Date;
    readonly setup: Parameters<typeof findFor>[2];
  },
): Promise<Found> {
  const fixes = error.signature === null ? [] : await findFixes(db, error.signature, maxFixes);
  const relatedTasks = [
    task.id,
    ...(task.parentId === null ? [] : [task.parentId]),
    ...(await blockersOf(db, task.id)),
  ];
  const query = queryOf(task, { lastError: error.output, errorSignature: error.signature, relatedTasks });
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
    limit: lookedAt,
    now,
    prior: ({ id }) => priorOf(read.get(id)),
    ...(setup.pause ? { pause: setup.pause } : {}),
  });
  const bestFit = Math.max(0, ...hits.map(fitOf));
  const fitting = hits.filter((hit) => !isNoise(hit, bestFit));
  const apart = distinct(fitting);
  const { hits: ordered, places, problem } = await fuseByMeaning(apart, query, setup.embeddings ?? null);
  if (problem !== null) setup.onTrouble?.(problem);
  const known = new Set(fixes.map(({ id }) => id));
  const best = hits[0]?.score ?? 0;
  const ranked = ordered.flatMap((hit): readonly Candidate[] => {
    const learning = read.get(hit.document.id);
    if (!learning || known.has(learning.id)) return [];
    return [candidateOf(learning, hit, places.get(hit) ?? null)];
  });
  const first = fixes.map((learning, at): Candidate => {
    const hit = hits.find(({ document }) => document.id === learning.id);
    const parts = { ...(hit ? partsOf(hit) : {}), "known fix": best + fixes.length - at };
    const score = Object.values(parts).reduce((sum, part) => sum + part, 0);
    return { learning, score, parts, fix: true, place: null };
  });
  const doubles = fitting.filter((hit) => !apart.includes(hit) && !known.has(hit.document.id));
  return {
    candidates: [...first, ...ranked],
    leftOut: [
      ...doubles.map(({ document, score }) => ({
        id: document.id,
        reason: `says nearly the same as a better one (score ${score.toFixed(2)})`,
      })),
      ...hits
        .filter((hit) => !fitting.includes(hit) && !known.has(hit.document.id))
        .map(({ document, score }) => ({
          id: document.id,
          reason: `hardly fits (score ${score.toFixed(1)}): ${clip(document.title, 80)}`,
        })),
    ],
  };
}

/** How well it fits, however new it is. */
function fitOf({ parts: { recency: _, ...fitting } }: Hit): number {
  return Object.values(fitting).reduce((sum, part) => sum + part, 0);
}

/** The newest are found whatever they say, and likeness of a few letters is in any text (LEARN-4). */
function isNoise(hit: Hit, best: number): boolean {
  const { files, error, tasks, labels } = hit.parts;
  return files + error + tasks + labels === 0 && fitOf(hit) <= leastOfBest * best;
}

/** -0.5 to 0.8, what use it was; 0 when nothing is known. */
function priorOf(learning: Learning | undefined): number {
  return learning ? 2 * (usefulnessOf(learning).standing - 0.5) : 0;
}

function candidateOf(learning: Learning, hit: Hit, place: number | null): Candidate {
  return { learning, score: hit.score, parts: partsOf(hit), fix: false, place };
}

/** What each part adds to the score: together they are the score. Recency and use multiply what fits. */
function partsOf(hit: Hit): Readonly<Record<string, number>> {
  const {
    score,
    parts: { recency, ...fitting },
  } = hit;
  const base = fitOf(hit);
  return { ...fitting, recency: base * recency, usefulness: score - base * (1 + recency) };
}

interface Chosen {
  readonly candidate: Candidate;
  readonly stale: boolean;
}

/** The first that there is place for, looked up in the files that they cite. */
async function choose(
  { candidates, leftOut }: Found,
  { root, maxLearnings }: RecallSetup,
): Promise<{ readonly chosen: readonly Chosen[]; readonly leftOut: readonly LeftOut[] }> {
  const chosen: Chosen[] = [];
  const left: LeftOut[] = [];
  for (const candidate of candidates) {
    const { learning, score } = candidate;
    if (chosen.length >= maxLearnings) {
      left.push({
        id: learning.id,
        reason: `${maxLearnings} fit better (score ${score.toFixed(1)}): ${labelOf(learning)}`,
      });
      continue;
    }
    const fresh: Freshness = await freshnessOf(root, learning.citations);
    if (fresh === "missing" || !isUsable(learning)) {
      left.push({ id: learning.id, reason: "a file that it cites is gone" });
      continue;
    }
    chosen.push({ candidate, stale: fresh === "changed" || learning.status === "stale" });
  }
  return { chosen, leftOut: [...left, ...leftOut].slice(0, toldLeftOut) };
}

/** With how many there are besides, when any were close. */
async function withOthers(
  db: Reader,
  close: readonly LeftOut[],
  chosen: number,
): Promise<readonly LeftOut[]> {
  if (close.length + chosen === 0) return [];
  const more = (await countIndexed(db, learningSource.kind)) - chosen - close.length;
  if (more <= 0) return close;
  return [...close, { id: count(more, "more learning"), reason: "fitted less well, or not at all", more }];
}

function itemOf(
  { learning, score, parts, fix, place }: Candidate,
  { now, stale }: { readonly now: Date; readonly stale: boolean },
): MemoryItem {
  const rendered = renderLearning(learning, { now, stale, fix });
  return {
    id: learning.id,
    ...rendered,
    score,
    parts,
    label: labelOf(learning),
    reason: fix ? "a known fix for the error of the last attempt" : fitting(parts, place),
  };
}

const because: Readonly<Record<string, string>> = {
  words: "its words",
  title: "words of the title",
  pairs: "words side by side",
  grams: "like words",
  files: "a file of the task",
  error: "the same error",
  tasks: "this task or one beside it",
};
const toldReasons = 3;

/** `fits by its words and a file of the task; new`: what made most of the score, and what moved it. */
function fitting(parts: Readonly<Record<string, number>>, place: number | null): string {
  const most = Object.entries(parts).toSorted(([, a], [, b]) => b - a);
  const told = most
    .flatMap(([name, value]) => (value > 0 ? (because[name] ?? []) : []))
    .slice(0, toldReasons);
  const { recency = 0, usefulness = 0 } = parts;
  const rest = most.reduce((sum, [, value]) => sum + value, 0) - recency;
  return [
    told.length > 0 ? `fits by ${told.join(", ")}` : "",
    place === null ? "" : `number ${place} by meaning`,
    recency > rest ? "new" : "",
    usefulness > 0 ? "was of use" : usefulness < 0 ? "was of little use" : "",
  ]
    .filter(Boolean)
    .join("; ");
}

function labelOf({ lesson }: Learning): string {
  return clip(lesson, 80);
}
