import type { RedactedText } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Tx } from "../../store/port/db.ts";
import { pruneLearnings } from "./manage/prune-learnings.ts";
import { settleTrial, shownIn, type Verdict, verdictsIn } from "./store/injection-store.ts";
import { isUsable, isWithdrawn, type Learning } from "./store/learning.ts";
import { countUse } from "./store/learning-store.ts";
import { getLearnings } from "./store/read-learnings.ts";

/**
 * Updates the counters of the memories that a prompt showed, by the judged outcome and the agent's verdicts (LEARN-6).
 * A known fix whose error is gone helped even without a verdict. Ignores verdicts on other memories, outcomes that ralph did
 * not verify, and `helpful` verdicts of an attempt that failed or changed nothing: there, verification judged no work. Withdraws
 * those that failed in four tasks (LEARN-12).
 */
export async function scoreLearnings(tx: Tx, outcome: Outcome, now: Date): Promise<void> {
  const { iterationId, runId, name, verification } = outcome;
  const trial = await tx.get("SELECT 1 FROM memory_trials WHERE iteration_id = ?", [iterationId]);
  if (!trial) return;
  const ids = await shownIn(tx, iterationId);
  // Verdicts given with a tool during the iteration; the final message overrides them.
  const verdicts = new Map<string, Verdict>(await verdictsIn(tx, iterationId));
  for (const { id, helpful } of outcome.claims.memory.verdicts) {
    if (ids.includes(id)) verdicts.set(id, helpful ? "helpful" : "harmful");
  }
  await settleTrial(tx, { iterationId, outcome: name, verification, verdicts });
  const result = verifiedResult(outcome);
  if (result === null) return;
  const before = await getLearnings(tx, ids);
  const ended = await endedError(tx, outcome);
  const earlier = await taskResults(tx, outcome);
  const after = before.map((learning) => {
    const fixed = ended !== null && learning.fixes.includes(ended);
    const { id } = learning;
    return withScore(learning, {
      result,
      verdict: verdicts.get(id),
      fixed,
      earlier: earlier.get(id) ?? null,
    });
  });
  await countUse(tx, after);
  const withdrawn = after.filter((one) => isUsable(one) && !one.pinned && isWithdrawn(one));
  await pruneLearnings(tx, withdrawn, { runId, now }, "withdrawn");
}

type Result = "passed" | "failed" | "unchanged";

/** Returns the result of ralph's own verification, `unchanged` for one that passed without any change; null without one. */
function verifiedResult({ name, verification, work }: Outcome): Result | null {
  if (name === "done" && verification === "passed") return work.changed ? "passed" : "unchanged";
  if (name === "done") return null;
  return verification === "failed" || verification === "no_change" ? "failed" : null;
}

/** Returns the signature of the task's previous attempt if this one changed something and no longer has it; else null. */
async function endedError(
  tx: Tx,
  { taskId, attempt, signature, tree }: Outcome,
): Promise<RedactedText | null> {
  const row = await tx.get<{ signature: RedactedText | null; tree: string | null }>(
    `SELECT error_signature AS signature, tree FROM iteration_outcomes
     WHERE task_id = ? AND attempt_number < ? ORDER BY attempt_number DESC LIMIT 1`,
    [taskId, attempt],
  );
  const isSame = row?.signature === signature || (tree !== undefined && row?.tree === tree);
  return isSame ? null : (row?.signature ?? null);
}

type TaskResult = "passed" | "failed";

/** Returns what earlier attempts of the task came to that were shown each memory: `passed` if one of them did. */
async function taskResults(
  tx: Tx,
  { taskId, iterationId }: Outcome,
): Promise<ReadonlyMap<string, TaskResult>> {
  const rows = await tx.all<{ id: string; passed: number }>(
    `SELECT i.memory_id AS id,
       MAX(CASE WHEN t.outcome = 'done' AND COALESCE(i.verdict, '') <> 'harmful' THEN 1 ELSE 0 END) AS passed
     FROM memory_trials t JOIN memory_injections i ON i.iteration_id = t.iteration_id AND i.held_out = 0
     WHERE t.task_id = ? AND t.iteration_id <> ? AND (t.outcome = 'done' AND t.verification = 'passed'
       OR t.outcome <> 'done' AND t.verification IN ('failed','no_change')) GROUP BY i.memory_id`,
    [taskId, iterationId],
  );
  return new Map(rows.map(({ id, passed }) => [id, Number(passed) === 1 ? "passed" : "failed"]));
}

interface Score {
  readonly result: Result;
  /** The result of the task with it before; null: it was not shown to it. */
  readonly earlier: TaskResult | null;
  readonly verdict: Verdict | undefined;
  /** True: it is the known fix of the error that this attempt ended. */
  readonly fixed: boolean;
}

function withScore(learning: Learning, { result, verdict, fixed, earlier }: Score): Learning {
  const helped =
    verdict === "helpful" ? result === "passed" : verdict === undefined && fixed && result !== "unchanged";
  const passes = result === "passed" && verdict !== "harmful" && earlier !== "passed";
  const fails = result === "failed" && earlier === null;
  return {
    ...learning,
    tasksPassed: learning.tasksPassed + (passes ? 1 : 0),
    tasksFailed: learning.tasksFailed + (fails ? 1 : passes && earlier === "failed" ? -1 : 0),
    shownPassed: learning.shownPassed + (result === "passed" ? 1 : 0),
    shownFailed: learning.shownFailed + (result === "failed" ? 1 : 0),
    saidHelpful: learning.saidHelpful + (helped ? 1 : 0),
    saidHarmful: learning.saidHarmful + (verdict === "harmful" ? 1 : 0),
  };
}
