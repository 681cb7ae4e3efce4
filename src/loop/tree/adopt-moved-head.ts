import { protectedPaths, takeBaseline } from "../../workspace/baseline.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { headLog } from "../../workspace/git/status.ts";
import { commit, type Loop } from "../rows/loop.ts";
import type { WorkspaceState } from "../rows/workspace-state.ts";
import { writeWorkspaceState } from "../rows/workspace-state-store.ts";
import type { LastHeartbeat } from "./last-heartbeat.ts";

interface Start {
  /** When the killed run was last alive; undefined: the last run ended in order. */
  readonly lastAlive: LastHeartbeat | undefined;
}

/**
 * Moves the start of the task's work to where a user moved HEAD between two iterations, so that a salvage never includes
 * a user's commits. Only what the last attempt left uncommitted still belongs to the task. After a crash the position
 * where the attempt left HEAD is unknown: git's log of HEAD then shows whether HEAD moved while the run was alive. At the
 * start of a run (`start`) a user's other edits are left to `openTree`, which may refuse them.
 */
export async function adoptMovedHead(
  loop: Pick<Loop, "db" | "log" | "workspace">,
  state: WorkspaceState,
  start?: Start,
): Promise<WorkspaceState> {
  if (state.kind === "free" || state.kind === "removing") return state;
  const { baseline, leftAt } = state;
  const leftover = state.kind === "left" ? state.leftover : null;
  const now = await readHead(loop.workspace);
  const at = { head: now.hash, branch: now.ref };
  const expected = leftAt ?? baseline;
  const isUnmoved = at.head === expected.head && at.branch === expected.branch;
  if (isUnmoved && leftAt) return state;
  // A recovery that was killed before it could store the new position.
  const isTakeOut = start?.lastAlive !== undefined && (await headLog(loop.workspace))?.isTakeOut === true;
  if (isUnmoved || isTakeOut || (!leftAt && (await movedWhileAlive(loop, start?.lastAlive)))) {
    return store(loop, { ...state, leftAt: at });
  }
  const present = await takeBaseline(loop.workspace, { mayBeDirty: "all" });
  const known = new Set(protectedPaths(baseline));
  const left = new Set(leftover);
  const isUsers = ({ path }: { readonly path: string }): boolean =>
    leftover && !start ? !left.has(path) : known.has(path);
  const moved = {
    ...present,
    untracked: present.untracked.filter(isUsers),
    dirty: present.dirty.filter(isUsers),
    ...(baseline.copies ? { copies: baseline.copies } : {}),
    // An agent may have chosen what is ignored now.
    ...(baseline.ignored ? { ignored: baseline.ignored } : {}),
  };
  return store(loop, { ...state, baseline: moved, leftAt: { head: present.head, branch: present.branch } });
}

/** Returns true if HEAD was last moved while the killed run was alive; false if `lastAlive` is undefined. */
async function movedWhileAlive(
  { workspace }: Pick<Loop, "workspace">,
  lastAlive: LastHeartbeat | undefined,
): Promise<boolean> {
  if (!lastAlive) return false;
  const log = await headLog(workspace);
  if (!log) return true;
  // Its entries have a resolution of one second.
  return !lastAlive.wasDeadAt(log.changedNs) || log.movedMs + 1000 <= lastAlive.ms;
}

async function store(
  loop: Pick<Loop, "db" | "log" | "workspace">,
  state: WorkspaceState,
): Promise<WorkspaceState> {
  await commit(loop, (tx) => writeWorkspaceState(tx, loop.workspace, state));
  return state;
}
