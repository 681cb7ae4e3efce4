import { safe } from "../../base/safe-text.ts";
import { clip, count } from "../../base/text.ts";
import { countIndexed } from "../../search/check-index.ts";
import type { Reader } from "../../store/port/db.ts";
import { isHeldOut } from "../port/compare-trials.ts";
import type { LeftOut, MemoryItem, Recalled, RecallRequest } from "../port/memory-kind.ts";
import lead from "./lead.md";
import type { Candidate, RankedLearnings, RankSetup } from "./rank-learnings.ts";
import { renderLearning } from "./render-learning.ts";
import { type Freshness, freshnessOf } from "./store/cite-files.ts";
import { isDoubted, isProven, isSummary, isUsable, type Learning } from "./store/learning.ts";
import { learningSource } from "./store/learning-index.ts";

export interface RecallSetup extends RankSetup {
  readonly root: string;
  /** Maximum number of learnings in a prompt. */
  readonly maxLearnings: number;
  /** Share of iterations that get no learnings, to measure the lift. */
  readonly holdout: number;
  /** True: a model chooses where it answered in time (LEARN-16). */
  readonly asksAgent?: boolean;
}

const maxShownLeftOut = 20;
/** Maximum number of learnings in a prompt that rest on an agent's word alone (LEARN-12). */
const maxUnproven = 2;

/**
 * Returns the prompt section with the few learnings of `found` that fit the task best; none when nothing fits well
 * (LEARN-4, LEARN-5, LEARN-7, FAIL-5).
 */
export async function recallLearnings(
  db: Reader,
  request: Pick<RecallRequest, "runId" | "iteration">,
  { setup, found }: { readonly setup: RecallSetup; readonly found: RankedLearnings },
): Promise<readonly Recalled[]> {
  const now = setup.now();
  const best = await choose(found, setup);
  const { chosen } = best;
  const leftOut = await withLeftOut(db, best.leftOut, chosen.length);
  if (chosen.length === 0 && leftOut.length === 0) return [];
  const held = isHeldOut(setup.holdout, request.runId, request.iteration);
  return [
    {
      section: "learnings",
      heading: safe`### Learnings from Previous Iterations`,
      lead: lead.trim(),
      items: chosen.map(({ candidate, stale }) => itemOf(candidate, { now, stale })),
      isFenced: true,
      tail: safe``,
      drop: "detail",
      leftOut,
      ...(held ? { withheld: heldOut(setup.holdout) } : {}),
    },
  ];
}

const heldOut = (share: number): string =>
  `held out: a share of ${share} of all iterations gets no learnings`;

interface Chosen {
  readonly candidate: Candidate;
  readonly stale: boolean;
}

/** Selects the best candidates up to the maxima, the proven ones first, and checks the files that they cite. */
async function choose(
  { candidates, leftOut }: RankedLearnings,
  { root, maxLearnings }: RecallSetup,
): Promise<{ readonly chosen: readonly Chosen[]; readonly leftOut: readonly LeftOut[] }> {
  const chosen: Chosen[] = [];
  const left: LeftOut[] = [];
  let unproven = 0;
  for (const candidate of provenFirst(candidates)) {
    const { learning, score } = candidate;
    const isFull = chosen.length >= maxLearnings;
    if (isFull || (unproven >= maxUnproven && !isProven(learning))) {
      const limit = isFull ? `${maxLearnings}` : `${maxUnproven} unproven`;
      const reason = `beyond the limit of ${limit} (score ${score.toFixed(1)}): ${labelOf(learning)}`;
      left.push({ id: learning.id, reason });
      continue;
    }
    const fresh: Freshness = await freshnessOf(root, learning.citations);
    if (fresh === "missing" || !isUsable(learning)) {
      left.push({ id: learning.id, reason: "a cited file is missing" });
      continue;
    }
    chosen.push({ candidate, stale: fresh === "changed" || learning.status === "stale" });
    if (!isProven(learning)) unproven += 1;
  }
  return { chosen, leftOut: [...left, ...leftOut].slice(0, maxShownLeftOut) };
}

/**
 * Orders candidates: known fixes of the task's error, proven ones, then the word of an agent alone, what was not meant as a lesson after
 * it, last what failed in two tasks; each best first.
 */
function provenFirst(candidates: readonly Candidate[]): readonly Candidate[] {
  const place = ({ fix, learning }: Candidate): number =>
    isDoubted(learning) ? 4 : fix ? 0 : isProven(learning) ? 1 : isSummary(learning) ? 3 : 2;
  return candidates.toSorted((a, b) => place(a) - place(b));
}

/** Adds the number of all other learnings to those that were left out, when there are any. */
async function withLeftOut(
  db: Reader,
  close: readonly LeftOut[],
  chosen: number,
): Promise<readonly LeftOut[]> {
  if (close.length + chosen === 0) return [];
  const more = (await countIndexed(db, learningSource.kind)) - chosen - close.length;
  if (more <= 0) return close;
  return [...close, { id: count(more, "more learning"), reason: "weaker matches, or none", more }];
}

function itemOf(
  { learning, score, parts, fix, why }: Candidate,
  { now, stale }: { readonly now: Date; readonly stale: boolean },
): MemoryItem {
  const rendered = renderLearning(learning, { now, stale, fix });
  return {
    id: learning.id,
    ...rendered,
    score,
    parts,
    label: labelOf(learning),
    reason: [why === undefined ? "" : `chosen by the agent: ${why}`, describeFit(parts, fix)]
      .filter(Boolean)
      .join("; "),
  };
}

const partLabels: Readonly<Record<string, string>> = {
  words: "words",
  title: "words of the title",
  grams: "similar spelling",
  files: "a file of the task",
  error: "the same error",
  tasks: "the same or a related task",
};
const shownReasons = 3;

/** Describes a score by its largest parts: `matches by words, a file of the task; new`. */
function describeFit(parts: Readonly<Record<string, number>>, fix: boolean): string {
  if (fix) return "known fix for the error of the last attempt";
  const ordered = Object.entries(parts).toSorted(([, a], [, b]) => b - a);
  const shown = ordered
    .flatMap(([name, value]) => (value > 0 ? (partLabels[name] ?? []) : []))
    .slice(0, shownReasons);
  const { recency = 0, usefulness = 0 } = parts;
  const rest = ordered.reduce((sum, [, value]) => sum + value, 0) - recency;
  return [
    shown.length > 0 ? `matches by ${shown.join(", ")}` : "",
    recency > rest ? "new" : "",
    usefulness > 0 ? "was useful before" : usefulness < 0 ? "was not useful before" : "",
  ]
    .filter(Boolean)
    .join("; ");
}

function labelOf({ lesson }: Learning): string {
  return clip(lesson, 80);
}
