import type { Reader } from "../../store/port/db.ts";
import { type Comparison, compareTrials, type JudgedTrial } from "../port/compare-trials.ts";

/** The lift of learnings (LEARN-6). */
export type Lift = Comparison;

/** Measures the lift of learnings, since a time or over all recorded attempts. */
export async function measureLift(q: Reader, since: string | null = null): Promise<Lift> {
  return compareTrials(await readTrials(q, { since, silenced: false }));
}

/**
 * Measures the effect of the best silenced learning where recall would have shown nothing: below 0, the silence is right
 * (LEARN-6, LEARN-11).
 */
export async function measureSilence(q: Reader, since: string | null = null): Promise<Comparison> {
  return compareTrials(await readTrials(q, { since, silenced: true }));
}

async function readTrials(
  q: Reader,
  { since, silenced }: { readonly since: string | null; readonly silenced: boolean },
): Promise<readonly JudgedTrial[]> {
  const rows = await q.all<{ task: string; heldOut: number; outcome: string; verification: string | null }>(
    `SELECT task_id AS task, held_out AS "heldOut", outcome, verification FROM memory_trials
     WHERE outcome IS NOT NULL AND silenced = ? AND began_at >= ? ORDER BY began_at, iteration_id`,
    [silenced ? 1 : 0, since ?? ""],
  );
  // An unverified `done` is neither a success nor a failure.
  const known = rows.filter(({ outcome, verification }) => outcome !== "done" || verification === "passed");
  return known.map(({ task, heldOut, outcome }) => ({
    task,
    heldOut: Number(heldOut) === 1,
    passed: outcome === "done",
  }));
}
