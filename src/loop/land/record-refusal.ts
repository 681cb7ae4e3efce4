import type { Outcome } from "../../outcome/outcome.ts";
import { recordVerdict } from "../iteration/record-verdict.ts";
import type { Verdict } from "../rows/iteration.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { finishPendingCommit, type PendingCommit } from "../rows/pending-commit-store.ts";
import { isOwnedBy } from "../rows/workspace-state.ts";
import { readWorkspaceState } from "../rows/workspace-state-store.ts";
import { describeWork } from "../tree/describe-work.ts";
import { recordLeftovers } from "../tree/leftovers.ts";
import { finishRollback } from "../tree/rollback.ts";
import { finishedTasks, setTicks } from "./set-ticks.ts";

interface Refused {
  readonly owed: PendingCommit;
  readonly verdict: Verdict;
  /** The outcome of the attempt, now that its work cannot land. */
  readonly failed: Outcome;
  /** The step for a person, where no further attempt would change it; null: an agent can fix the work. */
  readonly wayOut: string | null;
}

/**
 * Records verified work that cannot land as a failed attempt. Its changes stay for the retry, or are removed with
 * `onFailure: rollback`; the ticks are removed, as no task is done. A task whose message was refused is
 * blocked at once: only a person can change the message.
 */
export async function recordRefusal(git: Loop, { owed, verdict, failed, wayOut }: Refused): Promise<Outcome> {
  await setTicks(git, await finishedTasks(git, owed.finished), "untick");
  const state = await readWorkspaceState(git.db, git.workspace);
  const from = state.kind === "free" ? null : state.baseline.head;
  const outcome = await describeWork(git, from, failed);
  const own = isOwnedBy(state, owed.taskId);
  const leftovers = own ? await recordLeftovers(git, state, git.options.onFailure) : null;
  const ended = { ...verdict, outcome, ...(wayOut === null ? {} : { wayOut }) };
  await commit(git, async (tx) => {
    const now = git.clock.now();
    await finishPendingCommit(tx, owed, null, now);
    await recordVerdict(tx, git, ended, now);
    await leftovers?.save(tx);
  });
  await finishRollback(git);
  return outcome;
}
