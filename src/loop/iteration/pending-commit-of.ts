import { attemptRef } from "../../base/attempt-ref.ts";
import { openTurns } from "../../base/clock.ts";
import type { SafeText } from "../../base/safe-text.ts";
import { closingSentences } from "../../outcome/closing-sentences.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { safeText } from "../../trust/safe-text.ts";
import { protectedPaths } from "../../workspace/baseline.ts";
import type { Iteration, Verdict } from "../rows/iteration.ts";
import type { Loop } from "../rows/loop.ts";
import type { PendingCommit } from "../rows/pending-commit-store.ts";
import { commitMessage } from "./commit-message.ts";

export async function safeNames(files: readonly string[]): Promise<readonly SafeText[]> {
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

export function pendingCommitOf(
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
