import { protectedPaths, takeBaseline } from "../workspace/baseline.ts";
import { lastMovedAt } from "../workspace/head-moves.ts";
import { position } from "../workspace/status.ts";
import { type Loop, write } from "./loop.ts";
import { type WorkspaceState, writeWorkspaceState } from "./workspace-state-store.ts";

/** An agent may have lived on for so long since its last sign of life: a beat that a busy machine held up. */
const unsureMs = 5000;

/**
 * Between two iterations only a person moves HEAD: what they committed, or the branch they went to, is then where the
 * task begins anew, so that putting its work aside never takes a person's commits along. Only what its last attempt
 * left uncommitted is still the task's. After a crash nobody wrote down where that was: then git's log of HEAD tells
 * whether it was moved while the agent may have lived, `lastAlive` the last it is known to, in milliseconds.
 */
export async function adoptMovedHead(
  loop: Pick<Loop, "db" | "log" | "workspace">,
  state: WorkspaceState,
  lastAlive = 0,
): Promise<WorkspaceState> {
  const { taskId, baseline, leftAt, leftover, removal } = state;
  if (taskId === null || !baseline || removal) return state;
  const now = await position(loop.workspace);
  const at = { head: now.hash, branch: now.ref };
  const expected = leftAt ?? baseline;
  const stands = at.head === expected.head && at.branch === expected.branch;
  if (stands && leftAt) return state;
  if (stands || (!leftAt && (await movedBefore(loop, lastAlive + unsureMs)))) {
    return keep(loop, { ...state, leftAt: at });
  }
  const found = await takeBaseline(loop.workspace, { allowDirty: true });
  const persons = new Set(protectedPaths(baseline));
  const theTasks = new Set(leftover);
  const isPersons = ({ path }: { readonly path: string }): boolean =>
    leftover ? !theTasks.has(path) : persons.has(path);
  const anew = {
    ...found,
    untracked: found.untracked.filter(isPersons),
    dirty: found.dirty.filter(isPersons),
    ...(baseline.copies ? { copies: baseline.copies } : {}),
  };
  return keep(loop, { ...state, baseline: anew, leftAt: { head: found.head, branch: found.branch } });
}

async function movedBefore({ workspace }: Pick<Loop, "workspace">, time: number): Promise<boolean> {
  const moved = await lastMovedAt(workspace);
  return moved !== undefined ? moved <= time : time > unsureMs;
}

async function keep(loop: Pick<Loop, "db" | "log">, state: WorkspaceState): Promise<WorkspaceState> {
  await write(loop, (tx) => writeWorkspaceState(tx, state));
  return state;
}
