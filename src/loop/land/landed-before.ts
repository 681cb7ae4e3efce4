import { claimTask } from "../../tasks/graph/claim-store.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { completeTask } from "../../tasks/graph/task-transitions.ts";
import { findCommit } from "../../workspace/commit.ts";
import { iterationTrailer } from "../iteration/commit-message.ts";
import { uncommittedIterations } from "../rows/iteration-store.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { noteCommit, type PendingCommit } from "../rows/pending-commit-store.ts";
import { dropSavedWork } from "./drop-saved-work.ts";

/** How far the clocks of machines may differ. */
const maxSkewMs = 2 * 24 * 3600 * 1000;

interface Landed {
  readonly hash: string;
  readonly iterationId: string;
}

/**
 * Returns the commit that an earlier start made and did not record: not among the agent's own commits, which may have any trailer.
 * On a branch of several machines, also the commit of another holder of the claim, which was stopped before it recorded it.
 */
export async function landedBefore(
  loop: Pick<Loop, "db" | "landing" | "workspace">,
  { base, head, iterationId, taskId }: Pick<PendingCommit, "base" | "head" | "iterationId" | "taskId">,
  tip: string | undefined,
): Promise<string | undefined> {
  if (loop.landing?.shared && tip !== undefined) return (await landedByAnyone(loop, taskId, tip))?.hash;
  const search = { base: head ?? base, trailer: iterationTrailer, value: iterationId, tip };
  return findCommit(loop.workspace, search);
}

async function landedByAnyone(
  { db, workspace }: Pick<Loop, "db" | "workspace">,
  taskId: string,
  tip: string,
): Promise<Landed | undefined> {
  for (const { iterationId, startedAt } of await uncommittedIterations(db, taskId)) {
    const since = new Date(Date.parse(startedAt) - maxSkewMs);
    const hash = await findCommit(workspace, { since, trailer: iterationTrailer, value: iterationId, tip });
    if (hash !== undefined) return { hash, iterationId };
  }
  return undefined;
}

/**
 * Completes a task whose work is on the branch of several machines, where its run was stopped before it recorded that. Returns false,
 * and does nothing, where none is.
 */
export async function recordLanded(loop: Loop, { id: taskId }: Task): Promise<boolean> {
  const { landing, owner, runId } = loop;
  if (!landing?.shared || (await uncommittedIterations(loop.db, taskId)).length === 0) return false;
  const landed = await landedByAnyone(loop, taskId, await landing.tip());
  if (!landed) return false;
  await commit(loop, async (tx) => {
    const now = loop.clock.now();
    const claim = await claimTask(tx, { taskId, owner, runId }, now);
    if (!claim) return;
    await completeTask(tx, claim, now);
    await noteCommit(tx, landed, now);
  });
  await dropSavedWork(loop, taskId);
  return true;
}
