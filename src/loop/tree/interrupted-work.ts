import type { InterruptedWork } from "../../context/prompt.ts";
import type { Reader } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { workSince } from "../../workspace/baseline.ts";
import { diffStat } from "../../workspace/diff.ts";
import type { Workspace } from "../../workspace/git/workspace.ts";
import { lastInterruption } from "../rows/iteration-store.ts";
import type { WorkspaceState } from "../rows/workspace-state.ts";

const reasons: Readonly<Record<string, string>> = {
  cancelled: "it was stopped",
  crashed: "ralph was killed",
  deadline: "the run's time was over",
  rate_limit: "a usage limit was reached",
  overloaded: "the model was overloaded",
  network: "the network failed",
};

/**
 * Returns the changes that the task's last session left in the tree, when that session was interrupted: it was not
 * judged, so no memory describes it (LOOP-22). Null when it was judged or left nothing. `state` is the state of the tree
 * that the task finds.
 */
export async function interruptedWork(
  { db, workspace }: { readonly db: Reader; readonly workspace: Workspace },
  { id }: Task,
  state: WorkspaceState,
): Promise<InterruptedWork | null> {
  if (state.kind === "free" || state.taskId !== id) return null;
  const { baseline } = state;
  const from = baseline.head;
  if (from === null) return null;
  const kind = await lastInterruption(db, id);
  if (kind === undefined) return null;
  const { files, commits } = await workSince(workspace, { baseline, startHead: from });
  if (files.length === 0) return null;
  const changes = await diffStat(workspace, { from, paths: files });
  return { reason: reasons[kind] ?? "its agent failed", changes, commits: commits.length };
}
