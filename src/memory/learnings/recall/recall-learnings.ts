import { clip, count } from "../../../base/text.ts";
import { countIndexed } from "../../../search/check-index.ts";
import type { Reader } from "../../../store/db.ts";
import type { LeftOut, MemoryItem, Recalled, RecallRequest } from "../../memory-kind.ts";
import { type Freshness, freshnessOf } from "../capture/cite-files.ts";
import lead from "../lead.md";
import { isUsable, type Learning } from "../learning.ts";
import { learningSource } from "../store/learning-index.ts";
import { isHeldOut } from "./hold-out.ts";
import type { Candidate, RankedLearnings, RankSetup } from "./rank-learnings.ts";
import { renderLearning } from "./render-learning.ts";

export interface RecallSetup extends RankSetup {
  readonly root: string;
  /** At most so many learnings in a prompt. */
  readonly maxLearnings: number;
  /** The share of iterations that get none, to measure them. */
  readonly holdout: number;
}

const maxShownLeftOut = 20;

/**
 * LEARN-4, LEARN-5, LEARN-7, FAIL-5: the few learnings that fit the task best, of what was `found` for it. Nothing where
 * nothing fits well.
 */
export async function recallLearnings(
  db: Reader,
  request: RecallRequest,
  { setup, found }: { readonly setup: RecallSetup; readonly found: RankedLearnings },
): Promise<readonly Recalled[]> {
  const now = setup.now();
  const { chosen, leftOut: close } = await choose(found, setup);
  const leftOut = await withLeftOut(db, close, chosen.length);
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

interface Chosen {
  readonly candidate: Candidate;
  readonly stale: boolean;
}

/** The first that there is place for, looked up in the files that they cite. */
async function choose(
  { candidates, leftOut }: RankedLearnings,
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
  return { chosen, leftOut: [...left, ...leftOut].slice(0, maxShownLeftOut) };
}

/** With how many there are besides, when any were close. */
async function withLeftOut(
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
const shownReasons = 3;

/** `fits by its words and a file of the task; new`: what made most of the score, and what moved it. */
function fitting(parts: Readonly<Record<string, number>>, place: number | null): string {
  const most = Object.entries(parts).toSorted(([, a], [, b]) => b - a);
  const told = most
    .flatMap(([name, value]) => (value > 0 ? (because[name] ?? []) : []))
    .slice(0, shownReasons);
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
