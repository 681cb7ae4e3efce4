import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { CheckResult, Outcome } from "../../outcome/outcome.ts";
import { refusedAsGone, refusedByConflict, refusedTogether } from "../../outcome/refused-commit.ts";
import { verify } from "../../outcome/verify.ts";
import { workSince } from "../../workspace/baseline.ts";
import { commitsAfter } from "../../workspace/commit.ts";
import { conflictHunks } from "../../workspace/conflict-hunks.ts";
import { readHead } from "../../workspace/git/read-head.ts";
import { removeFolder } from "../../workspace/git/remove-folder.ts";
import { verifyCommandsFor } from "../iteration/verify-commands.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { moveCommit, type PendingCommit } from "../rows/pending-commit-store.ts";
import type { Landing } from "../rows/slot.ts";
import { leave, type OwnedState, type WorkspaceState } from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { clearTree } from "../tree/salvage-work.ts";
import { createTempFolder } from "../tree/temp-folder.ts";

type Lander = Loop & { readonly landing: Landing };

/** Work that stands on the tip of the run's branch and is verified there; `refused`: the outcome of an attempt that cannot land. */
interface OnTip {
  readonly owed: PendingCommit;
  readonly refused?: Outcome;
}

/**
 * Brings verified work to `tip`, that of the run's branch, and verifies it there if the tip is not the commit that it was verified
 * on. Repeats itself after a kill: until it is on the tip, the work is in the tree or under its salvage ref.
 *
 * @throws RalphError when the run is stopped meanwhile: the work waits for the next run.
 */
export async function bringToTip(loop: Lander, owed: PendingCommit, tip: string): Promise<OnTip> {
  const state = await readWorkspaceState(loop.db, loop.workspace);
  if (state.kind !== "free" && state.baseline.head === tip && owed.base === tip) return { owed };
  const { task, outcome } = verdictOf(owed);
  await adoptOwnCommit(loop, state);
  await clearTree(loop, { landing: true });
  const opened = await loop.tree.open(task, tip);
  const commits = await since(loop, owed.base);
  if (opened.conflict) {
    const { ref, paths } = opened.conflict;
    const hunks = await conflictHunks(loop.workspace, paths, { base: `${ref}^1`, ours: tip, theirs: ref });
    return { owed, refused: refusedByConflict(outcome, { paths, hunks, commits, ref }) };
  }
  const paths = await moveWork(loop, { state: opened.state, tip });
  if (paths.length === 0) return { owed, refused: refusedAsGone(outcome, { base: owed.base, commits }) };
  const checks = await verifyAgain(loop, owed);
  if (loop.stop.aborted) {
    const message = `the verification of ${owed.taskId} on ${tip.slice(0, 10)} was stopped`;
    throw new RalphError("RALPH_GIT_LANDING", message, {
      hint: "the next run verifies and lands it: ralph run",
    });
  }
  if (!checks.every(({ passed }) => passed))
    return { owed, refused: refusedTogether(outcome, { checks, base: owed.base, commits }) };
  const all = [...new Set([...owed.paths, ...paths])];
  const moved = await commit(loop, (tx) => moveCommit(tx, owed, { base: tip, paths: all }));
  return { owed: moved };
}

/** Stores where HEAD is: in a slot's tree, a commit since the attempt is one that ralph made and that did not reach the branch. */
async function adoptOwnCommit(loop: Lander, state: WorkspaceState): Promise<void> {
  const { hash, ref } = await readHead(loop.workspace);
  if (state.kind !== "left" || state.leftAt?.head === hash) return;
  const now = { ...state, leftAt: { head: hash, branch: ref } };
  await commit(loop, (tx) => writeWorkspaceState(tx, loop.workspace, now));
}

function verdictOf({ verdict, taskId }: PendingCommit): NonNullable<PendingCommit["verdict"]> {
  if (verdict === null) throw new Error(`the commit of ${taskId} has no verdict`);
  return verdict;
}

async function since({ workspace }: Lander, base: string): Promise<readonly string[]> {
  const commits = await commitsAfter(workspace, base);
  return commits.toReversed().map(({ hash, subject }) => `${hash.slice(0, 10)} ${subject}`);
}

/** Stores that the tree's work stands on the tip, where it is not verified yet. Returns its files; none after a kill at the wrong moment. */
async function moveWork(
  loop: Lander,
  { state, tip }: { readonly state: OwnedState; readonly tip: string },
): Promise<readonly string[]> {
  const { baseline } = state;
  const { changedPaths } = await workSince(loop.workspace, { baseline, startHead: tip });
  if (changedPaths.length === 0) return [];
  const leftAt = { head: tip, branch: baseline.branch };
  const moved = leave(state, { baseline, leftover: changedPaths, leftAt });
  await commit(loop, (tx) => writeWorkspaceState(tx, loop.workspace, moved));
  return changedPaths;
}

async function verifyAgain(loop: Lander, owed: PendingCommit): Promise<readonly CheckResult[]> {
  const { task } = verdictOf(owed);
  const tmpDir = join(loop.folder, "tmp", `land-${owed.iterationId}`);
  createTempFolder(tmpDir);
  const { runId, isolation, sandbox, stop: signal } = loop;
  const publish = (type: "verification.started" | "verification.finished", data: object): void =>
    loop.log.publish({ type, runId, data: { taskId: task.id, ...data } });
  try {
    return await verify(verifyCommandsFor(loop, { task }), {
      ...{ cwd: loop.root, env: { ...loop.env, TMPDIR: tmpDir }, marker: owed.iterationId },
      ...{ isolation, sandbox, signal, repeat: true, remainingMs: null },
      onStart: (command) => publish("verification.started", { command }),
      onEnd: ({ command, passed, reason, durationMs }) =>
        publish("verification.finished", { command, passed, reason, durationMs }),
    });
  } finally {
    await removeFolder(loop.workspace, tmpDir);
  }
}
