import type { Reader } from "../../store/port/db.ts";
import { type Comparison, compareTrials } from "../port/compare-trials.ts";

interface UseRow {
  readonly task: string;
  readonly heldOut: number;
  readonly outcome: string;
  readonly verification: string | null;
}

/** Measures the lift of records of other projects, since a time or over all recorded attempts (LEARN-6, HIVE-6). */
export async function measureForeign(q: Reader, since: string | null): Promise<Comparison> {
  const rows = await q.all<UseRow>(
    `SELECT task_id AS task, MAX(held_out) AS "heldOut", MAX(outcome) AS outcome, MAX(verification) AS verification
     FROM hivemind_uses WHERE outcome IS NOT NULL AND created_at >= ?
     GROUP BY iteration_id, task_id ORDER BY MIN(created_at), iteration_id`,
    [since ?? ""],
  );
  // An unverified `done` is neither a success nor a failure.
  const known = rows.filter(({ outcome, verification }) => outcome !== "done" || verification === "passed");
  return compareTrials(
    known.map(({ task, heldOut, outcome }) => ({
      task,
      heldOut: Number(heldOut) === 1,
      passed: outcome === "done",
    })),
  );
}
