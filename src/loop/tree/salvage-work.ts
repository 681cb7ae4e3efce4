import { lastAttempt } from "../../outcome/outcome-store.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { slug } from "../../trust/safe-name.ts";
import { workSince } from "../../workspace/baseline.ts";
import { landingRef } from "../../workspace/salvage.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { free, type OwnedState, remove, type WorkspaceState } from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { adoptMovedHead } from "./adopt-moved-head.ts";
import { withMovedFiles, withOverwritten } from "./leftovers.ts";
import { finishRollback, rollbackOf } from "./rollback.ts";

export type Switcher = Pick<Loop, "byproducts" | "clock" | "db" | "landing" | "log" | "runId" | "workspace">;

/**
 * Saves the changes of any task's unfinished attempt under a salvage ref and removes them; its retry restores them. `landing`: they
 * return at once, at another commit.
 */
export async function clearTree(
  loop: Switcher,
  { keep = null, landing = false }: { readonly keep?: Task | null; readonly landing?: boolean } = {},
): Promise<WorkspaceState> {
  const found = await adoptMovedHead(loop, await readWorkspaceState(loop.db, loop.workspace));
  if (found.kind === "removing") return finishRollback(loop);
  return found.kind === "free" || found.taskId === keep?.id ? found : salvageWork(loop, found, landing);
}

/**
 * Saves the owning task's changes and removes them. The ref is created before anything is removed, and found again when a
 * kill came between its creation and the write of the state: so this runs even when no change seems left.
 */
async function salvageWork(loop: Switcher, found: OwnedState, landing = false): Promise<WorkspaceState> {
  const state = await withOverwritten(loop, found);
  const { taskId, baseline } = state;
  const startHead = baseline.head;
  if (startHead === null) return free(state);
  const work = await workSince(loop.workspace, { baseline, startHead });
  const name = `${slug(taskId)}-${await lastAttempt(loop.db, taskId)}`;
  const ref = landing ? landingRef(name) : `refs/ralph/salvage/${name}`;
  const removal = await rollbackOf(loop, ref, { work, since: startHead });
  const kept = await withMovedFiles(loop, baseline, work);
  // Stored first: after a kill the next start completes the removal.
  await commit(loop, (tx) => writeWorkspaceState(tx, loop.workspace, remove(state, removal, kept)));
  return finishRollback(loop);
}

/**
 * Salvages the work of a blocked task as the run ends, when it includes commits: on the branch they would look like work
 * that passed. Uncommitted changes alone stay in the tree for a user to fix.
 */
export async function salvageAbandoned(loop: Switcher): Promise<void> {
  const state = await adoptMovedHead(loop, await readWorkspaceState(loop.db, loop.workspace));
  const leftAt = state.kind === "left" || state.kind === "held" ? state.leftAt : null;
  if (state.kind === "free" || !leftAt || leftAt.head === state.baseline.head) return;
  const task = await getTask(loop.db, state.taskId);
  if (task?.status !== "blocked") return;
  await salvageWork(loop, state);
}
