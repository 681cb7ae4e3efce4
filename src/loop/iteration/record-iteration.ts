import { attemptRef } from "../../base/attempt-ref.ts";
import { openTurns } from "../../base/clock.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { redactAhead } from "../../events/redact-json.ts";
import { closingSentences } from "../../outcome/closing-sentences.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { previewCompletion } from "../../tasks/graph/task-transitions.ts";
import { safeText } from "../../trust/safe-text.ts";
import { protectedPaths } from "../../workspace/baseline.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import type { Iteration, Verdict } from "../rows/iteration.ts";
import { endIteration } from "../rows/iteration-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { insertPendingCommit, type PendingCommit } from "../rows/pending-commit-store.ts";
import { free, leave, noteTestsRun } from "../rows/workspace-state.ts";
import { writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { describeWork } from "../tree/describe-work.ts";
import { recordLeftovers, withOverwritten } from "../tree/leftovers.ts";
import { finishRollback } from "../tree/rollback.ts";
import { commitMessage } from "./commit-message.ts";
import { recordVerdict } from "./record-verdict.ts";

interface Judged {
  readonly outcome: Outcome;
  /** The new files that verification made. */
  readonly byproducts: readonly string[];
}

interface Recorded {
  /** The commit that lands the work; null: there is none to make. */
  readonly pending: PendingCommit | null;
  /** The task that most likely comes next, if it is known: one that waits for this task is not. */
  readonly nextTask?: Task | undefined;
}

/**
 * Ends a judged iteration in one transaction: after a kill either all of it is stored or nothing. Verified work that is
 * to be committed is stored as a verdict beside its pending commit, and its task stays `in_progress`: `land.ts`
 * records the verdict by git's answer (LOOP-21). Any other outcome is recorded here with memory and task state, and work
 * that is to be removed is then removed.
 */
export async function recordIteration(
  loop: Loop,
  iteration: Iteration,
  { outcome, byproducts }: Judged,
): Promise<Recorded> {
  const at = await readHead(loop.workspace);
  const done = outcome.name === "done";
  // A later task may change a file that was left out, as it may those.
  loop.byproducts.add([...(done ? byproducts : []), ...(outcome.work.leftOut ?? [])]);
  const final = await describeWork(loop, iteration.state.baseline.head, outcome);
  const state = done
    ? noteTestsRun(await withOverwritten(loop, iteration.state), outcome.checks)
    : iteration.state;
  const leftovers = done ? null : await recordLeftovers(loop, iteration.state, loop.options.onFailure);
  const { number, task, claim, agent, prompt } = iteration;
  const maySplit = prompt.sections.some(({ name }) => name === "stuck");
  const verdict = { outcome: final, number, task, claim, maySplit, permissionHint: agent.permissionHint };
  // Before the transaction, which lets no signal have its turn.
  for (const list of [final.work.changedPaths, final.work.files]) await redactAhead(list);
  const names = done ? await safeNames(final.work.files) : [];
  const content = { iteration, verdict, head: at.hash, names };
  const recorded = await commit(loop, async (tx): Promise<Recorded> => {
    const now = loop.clock.now();
    const { iterationId } = iteration;
    await endIteration(tx, { iterationId, at: now.toISOString(), kind: "outcome", headAfter: at.hash });
    const completes =
      done && loop.options.commit.enabled ? await previewCompletion(tx, verdict.claim) : undefined;
    if (completes) {
      const pending = { ...pendingCommitOf(loop, content, completes), verdict };
      // Until the commit exists the work counts as leftovers: a refused commit or a kill leaves it so.
      const leftAt = { head: at.hash, branch: at.ref };
      const { baseline } = state;
      const left = leave(state, { baseline, leftover: outcome.work.changedPaths, leftAt });
      const [following] = await Promise.all([
        nextTask(tx, loop.options.only ?? undefined),
        insertPendingCommit(tx, pending, now),
        writeWorkspaceState(tx, loop.workspace, left),
      ]);
      return { pending, nextTask: following };
    }
    const { status, completed } = await recordVerdict(tx, loop, verdict, now);
    await leftovers?.save(tx);
    if (!done || status === "lost") return { pending: null };
    const pending = { ...pendingCommitOf(loop, content, completed), verdict: null };
    await insertPendingCommit(tx, pending, now);
    const finished = [...new Set([...state.finished, ...outcome.work.changedPaths])];
    await writeWorkspaceState(tx, loop.workspace, { ...free(state), finished });
    return { pending };
  });
  if (!done) await finishRollback(loop);
  return recorded;
}

async function safeNames(files: readonly string[]): Promise<readonly SafeText[]> {
  const names: SafeText[] = [];
  const turn = openTurns();
  for (const file of files) {
    names.push(safeText(file));
    await turn();
  }
  return names;
}

interface CommitContent {
  readonly iteration: Iteration;
  readonly verdict: Verdict;
  /** The commit of HEAD. */
  readonly head: string | null;
  /** The files that the work changed. */
  readonly names: readonly SafeText[];
}

function pendingCommitOf(
  { options, workspace }: Pick<Loop, "options" | "workspace">,
  { iteration, verdict, head, names }: CommitContent,
  completed: readonly Task[],
): Omit<PendingCommit, "verdict"> {
  const { outcome } = verdict;
  const { task, headBefore } = iteration;
  const { baseline } = iteration.state;
  const changeable = new Set(baseline.finished?.paths);
  const users = new Set(protectedPaths(baseline).filter((path) => !changeable.has(path)));
  const sources = completed.flatMap((one) => (one.source ? [one.source.path] : []));
  const ticked = [...new Set(sources)].filter((path) => !users.has(path));
  const { iterationId, taskId } = attemptRef(iteration);
  return {
    iterationId,
    taskId,
    slot: workspace.slot,
    base: baseline.head ?? headBefore,
    head,
    paths: [...new Set([...outcome.work.changedPaths, ...ticked])],
    finished: completed.map(({ id }) => id),
    message: commitMessage({ task, outcome, template: options.commit.template }),
    wanted: options.commit.enabled,
    story: {
      title: safeText(task.title),
      files: names,
      summary: closingSentences(safeText(outcome.finalMessage), 500),
      durationMs: outcome.durationMs,
    },
  };
}
