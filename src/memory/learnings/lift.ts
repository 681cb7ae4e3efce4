import type { RedactedText } from "../../base/safe-text.ts";
import type { Reader } from "../../store/port/db.ts";
import {
  type Comparison,
  compareTrials,
  type JudgedTrial,
  type TrialCounts,
} from "../port/compare-trials.ts";

/** The lift of learnings (LEARN-6). */
export type Lift = Comparison;

/** Measures the lift of learnings, since a time or over all recorded attempts. */
export async function measureLift(q: Reader, since: string | null = null): Promise<Lift> {
  return compareTrials(await readTrials(q, since));
}

/** Counts the judged attempts of `measureLift`. */
export async function countJudged(q: Reader): Promise<TrialCounts> {
  const trials = await readTrials(q, null);
  const count = (held: boolean, passed: boolean): number =>
    trials.filter((one) => one.heldOut === held && (one.passed || !passed)).length;
  return {
    ...{ shown: count(false, false), shownPassed: count(false, true) },
    ...{ held: count(true, false), heldPassed: count(true, true) },
  };
}

/** The results of the attempts that were shown a learning, and the verdicts of their agents. */
export interface LearningRecord {
  readonly id: string;
  readonly lesson: RedactedText;
  readonly shown: number;
  readonly passed: number;
  readonly failed: number;
  readonly helpful: number;
  readonly harmful: number;
}

const maxRecords = 20;

/** Returns the records of the learnings that were shown most often. */
export async function recordsOfShown(q: Reader): Promise<readonly LearningRecord[]> {
  const rows = await q.all<LearningRecord>(
    `SELECT id, content AS lesson, times_shown AS shown, shown_passed AS passed, shown_failed AS failed,
       said_helpful AS helpful, said_harmful AS harmful
     FROM learnings WHERE times_shown > 0 ORDER BY times_shown DESC, id LIMIT ${maxRecords}`,
  );
  return rows.map((row) => ({ ...row }));
}

async function readTrials(q: Reader, since: string | null): Promise<readonly JudgedTrial[]> {
  const rows = await q.all<{ task: string; heldOut: number; outcome: string; verification: string | null }>(
    `SELECT task_id AS task, held_out AS "heldOut", outcome, verification FROM memory_trials
     WHERE outcome IS NOT NULL AND began_at >= ? ORDER BY began_at, iteration_id`,
    [since ?? ""],
  );
  // An unverified `done` is neither a success nor a failure.
  const known = rows.filter(({ outcome, verification }) => outcome !== "done" || verification === "passed");
  return known.map(({ task, heldOut, outcome }) => ({
    task,
    heldOut: Number(heldOut) === 1,
    passed: outcome === "done",
  }));
}
