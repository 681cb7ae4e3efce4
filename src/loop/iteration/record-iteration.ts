import { closingSentences } from "../../outcome/last-words.ts";
import type { Outcome } from "../../outcome/outcome.ts";
import type { Tx } from "../../store/db.ts";
import { completeTask } from "../../tasks/finish-task.ts";
import { nextTask } from "../../tasks/next-task.ts";
import type { Task } from "../../tasks/task.ts";
import { redact } from "../../trust/redact.ts";
import { protectedPaths } from "../../workspace/baseline.ts";
import { leftBehind } from "../../workspace/left-behind.ts";
import { position } from "../../workspace/status.ts";
import { commitMessage } from "../commit/commit-message.ts";
import { endIteration } from "../iteration-store.ts";
import { commitAndFlushLater, type Loop } from "../loop.ts";
import { insertPendingCommit, type PendingCommit } from "../pending-commit-store.ts";
import { recordLeftovers } from "../tree/leftovers.ts";
import { initialState, writeWorkspaceState } from "../workspace-state-store.ts";
import type { Iteration } from "./begin-iteration.ts";
import { recordVerdict, type Verdict } from "./record-verdict.ts";

export interface JudgedIteration {
  readonly iteration: Iteration;
  readonly outcome: Outcome;
  /** False: the work touched the project's own git hooks, so they must not run on it. */
  readonly hooks: boolean;
  /** The prompt asked for a split: the task is stuck (STRAT-4). */
  readonly maySplit: boolean;
}

/**
 * Ends a judged iteration in one transaction: after a kill either all of it is there or none. Verified work that is to
 * be committed is stored as a verdict beside its pending commit, and its task stays `in_progress`: `settle-commits.ts`
 * records the verdict once git has answered (LOOP-21). All else is recorded here: outcome, memory and task state.
 * Returns the task that most likely comes next, if that is known.
 */
export async function recordIteration(loop: Loop, end: JudgedIteration): Promise<Task | undefined> {
  const { iteration, outcome } = end;
  const at = await position(loop.workspace);
  const done = outcome.name === "done";
  const judged = done ? outcome : await withTree(loop, iteration.state.baseline?.head ?? null, outcome);
  const leftovers = done ? null : await recordLeftovers(loop, iteration.state, loop.options.onFailure);
  const verdict = verdictOf(end, judged);
  return commitAndFlushLater(loop, async (tx) => {
    const now = loop.clock.now();
    await endIteration(tx, { id: iteration.id, at: now.toISOString(), kind: "outcome", headAfter: at.hash });
    if (done && loop.options.commitEnabled) {
      const after = await foresee(tx, loop, verdict, now);
      if (after) {
        await insertPendingCommit(
          tx,
          pendingCommitOf(loop, end, { completed: after.completed, verdict }),
          now,
        );
        // Until the commit exists the work is the task's leftovers: what a refusal or a kill leaves them.
        const leftAt = { head: at.hash, branch: at.ref };
        const leftover = outcome.work.changedPaths;
        await writeWorkspaceState(tx, { ...iteration.state, leftover, leftAt, removal: null, guard: null });
        return after.next;
      }
    }
    const { status, completed } = await recordVerdict(tx, loop, verdict, now);
    await leftovers?.save(tx);
    if (!done || status === "lost") return undefined;
    await insertPendingCommit(tx, pendingCommitOf(loop, end, { completed, verdict: null }), now);
    const { salvages, finished } = iteration.state;
    const uncommitted = [...new Set([...finished, ...outcome.work.changedPaths])];
    await writeWorkspaceState(tx, { ...initialState, salvages, finished: uncommitted });
    return undefined;
  });
}

function verdictOf({ iteration, maySplit }: JudgedIteration, outcome: Outcome): Verdict {
  const { number, task, claim, agent } = iteration;
  return { outcome, number, task, claim, maySplit, permissionHint: agent.permissionHint };
}

/** Names what a failed attempt leaves behind, for telling progress from repetition. `from`: where its work began. */
export async function withTree(
  { workspace }: Pick<Loop, "workspace">,
  from: string | null,
  outcome: Outcome,
): Promise<Outcome> {
  const { commits, changedPaths } = outcome.work;
  return { ...outcome, tree: await leftBehind(workspace, { from, commits, changedPaths }) };
}

interface Foreseen {
  readonly completed: readonly Task[];
  readonly next: Task | undefined;
}

class Rehearsed extends Error {}

/** What completing the task would lead to, without doing it. Undefined: the claim is no longer this run's. */
async function foresee(
  tx: Tx,
  { options }: Pick<Loop, "options">,
  { claim }: Verdict,
  now: Date,
): Promise<Foreseen | undefined> {
  let foreseen: Foreseen | undefined;
  try {
    await tx.savepoint(async () => {
      const completion = await completeTask(tx, claim, now);
      if (completion) {
        foreseen = { completed: completion.completed, next: await nextTask(tx, options.only ?? undefined) };
      }
      throw new Rehearsed();
    });
  } catch (error) {
    if (!(error instanceof Rehearsed)) throw error;
  }
  return foreseen;
}

function pendingCommitOf(
  loop: Loop,
  { iteration, outcome, hooks }: JudgedIteration,
  { completed, verdict }: { readonly completed: readonly Task[]; readonly verdict: Verdict | null },
): PendingCommit {
  const theirs = new Set(iteration.state.baseline ? protectedPaths(iteration.state.baseline) : []);
  const sources = completed.flatMap((task) => (task.source ? [task.source.path] : []));
  const ticked = [...new Set(sources)].filter((path) => !theirs.has(path));
  return {
    iterationId: iteration.id,
    taskId: iteration.taskId,
    base: iteration.state.baseline?.head ?? iteration.headBefore,
    paths: [...new Set([...outcome.work.changedPaths, ...ticked])],
    finished: completed.map((task) => task.id),
    message: commitMessage({ task: iteration.task, outcome, template: loop.options.commitTemplate }),
    wanted: loop.options.commitEnabled,
    hooks,
    story: {
      title: iteration.task.title,
      files: outcome.work.files,
      summary: closingSentences(redact(outcome.finalMessage), 500),
      durationMs: outcome.durationMs,
    },
    verdict,
  };
}
