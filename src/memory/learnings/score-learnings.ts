import type { RedactedText } from "../../base/safe-text.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Tx } from "../../store/port/db.ts";
import { settleTrial, shownIn, type Verdict, verdictsIn } from "./store/injection-store.ts";
import type { Learning } from "./store/learning.ts";
import { countUse } from "./store/learning-store.ts";
import { getLearnings } from "./store/read-learnings.ts";

/**
 * Updates the counters of the memories that a prompt showed, by the judged outcome and the agent's verdicts (LEARN-6).
 * A known fix whose error is gone helped even without a verdict. Ignores verdicts on other memories, outcomes that ralph did
 * not verify, and `helpful` verdicts of an attempt that failed or changed nothing: there, verification judged no work.
 */
export async function scoreLearnings(tx: Tx, outcome: Outcome): Promise<void> {
  const { iterationId, name, verification } = outcome;
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
  const after = before.map((learning) => {
    const fixed = ended !== null && learning.fixes.includes(ended);
    return withScore(learning, { result, verdict: verdicts.get(learning.id), fixed });
  });
  await countUse(tx, after);
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

interface Score {
  readonly result: Result;
  readonly verdict: Verdict | undefined;
  /** True: it is the known fix of the error that this attempt ended. */
  readonly fixed: boolean;
}

function withScore(learning: Learning, { result, verdict, fixed }: Score): Learning {
  const helped =
    verdict === "helpful" ? result === "passed" : verdict === undefined && fixed && result !== "unchanged";
  return {
    ...learning,
    shownPassed: learning.shownPassed + (result === "passed" ? 1 : 0),
    shownFailed: learning.shownFailed + (result === "failed" ? 1 : 0),
    saidHelpful: learning.saidHelpful + (helped ? 1 : 0),
    saidHarmful: learning.saidHarmful + (verdict === "harmful" ? 1 : 0),
  };
}
