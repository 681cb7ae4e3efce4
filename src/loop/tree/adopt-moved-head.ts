import { protectedPaths, takeBaseline } from "../../workspace/baseline.ts";
import { headLog, position } from "../../workspace/status.ts";
import { commit, type Loop } from "../loop.ts";
import type { LastAlive } from "../run/last-alive.ts";
import { type WorkspaceState, writeWorkspaceState } from "../workspace-state-store.ts";

interface Start {
  /** When the killed run was alive for the last time; undefined: the last run ended in order. */
  readonly lastAlive: LastAlive | undefined;
}

/**
 * Between two iterations only a person moves HEAD: what they committed, or the branch they went to, is then where the
 * task begins anew, so that putting its work aside never takes a person's commits along. Only what its last attempt
 * left uncommitted is still the task's. After a crash nobody wrote down where that was: then git's log of HEAD says
 * whether it was moved while the run was alive. As a run starts (`start`), a person's other edits stay for `openTree`,
 * which may refuse them.
 */
export async function adoptMovedHead(
  loop: Pick<Loop, "db" | "log" | "workspace">,
  state: WorkspaceState,
  start?: Start,
): Promise<WorkspaceState> {
  const { taskId, baseline, leftAt, leftover, removal } = state;
  if (taskId === null || !baseline || removal) return state;
  const now = await position(loop.workspace);
  const at = { head: now.hash, branch: now.ref };
  const expected = leftAt ?? baseline;
  const stands = at.head === expected.head && at.branch === expected.branch;
  if (stands && leftAt) return state;
  if (stands || (!leftAt && (await movedWhileAlive(loop, start?.lastAlive)))) {
    return keep(loop, { ...state, leftAt: at });
  }
  const found = await takeBaseline(loop.workspace, { allowDirty: true });
  const persons = new Set(protectedPaths(baseline));
  const theTasks = new Set(leftover);
  const isPersons = ({ path }: { readonly path: string }): boolean =>
    leftover && !start ? !theTasks.has(path) : persons.has(path);
  const anew = {
    ...found,
    untracked: found.untracked.filter(isPersons),
    dirty: found.dirty.filter(isPersons),
    ...(baseline.copies ? { copies: baseline.copies } : {}),
  };
  return keep(loop, { ...state, baseline: anew, leftAt: { head: found.head, branch: found.branch } });
}

async function movedWhileAlive(
  { workspace }: Pick<Loop, "workspace">,
  lastAlive: LastAlive | undefined,
): Promise<boolean> {
  if (!lastAlive) return false;
  const log = await headLog(workspace);
  if (!log) return true;
  // Its entries are timed to the second.
  return !lastAlive.wasDeadAt(log.changedNs) || log.movedMs + 1000 <= lastAlive.ms;
}

async function keep(loop: Pick<Loop, "db" | "log">, state: WorkspaceState): Promise<WorkspaceState> {
  await commit(loop, (tx) => writeWorkspaceState(tx, state));
  return state;
}
