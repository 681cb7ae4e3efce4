import type { InterruptedWork } from "../context/prompt.ts";
import type { Task } from "../tasks/task.ts";
import { workSince } from "../workspace/baseline.ts";
import { diffStat } from "../workspace/diff.ts";
import { lastInterruption } from "./iteration-store.ts";
import type { Loop } from "./loop.ts";
import type { WorkspaceState } from "./workspace-state-store.ts";

const reasons: Readonly<Record<string, string>> = {
  cancelled: "it was stopped",
  crashed: "ralph was killed",
  deadline: "the run's time was over",
  rate_limit: "a usage limit was reached",
  overloaded: "the model was overloaded",
  network: "the network failed",
};

/**
 * Returns what the task's last session left in the tree, when that session was interrupted: nothing judged it, so no
 * memory knows of it (LOOP-22). Null when the last session was judged or left nothing. `state` is that of the tree as
 * the task finds it.
 */
export async function interruptedWork(
  loop: Pick<Loop, "db" | "workspace">,
  { id }: Task,
  { taskId, baseline }: WorkspaceState,
): Promise<InterruptedWork | null> {
  if (taskId !== id || !baseline?.head) return null;
  const kind = await lastInterruption(loop.db, id);
  if (kind === undefined) return null;
  const from = baseline.head;
  const { files, commits } = await workSince(loop.workspace, { baseline, startHead: from });
  if (files.length === 0) return null;
  const changes = await diffStat(loop.workspace, { from, paths: files });
  return { reason: reasons[kind] ?? "its agent failed", changes, commits: commits.length };
}
