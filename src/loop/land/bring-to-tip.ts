import { join } from "node:path";
import { RalphError } from "../../base/errors.ts";
import type { CheckResult, Outcome } from "../../outcome/outcome.ts";
import { refusedAsGone, refusedByConflict, refusedTogether } from "../../outcome/refused-commit.ts";
import { verify } from "../../outcome/verify.ts";
import { workSince } from "../../workspace/baseline.ts";
import { commitsAfter } from "../../workspace/commit.ts";
import { conflictHunks } from "../../workspace/conflict-hunks.ts";
import { removeFolder } from "../../workspace/git/remove-folder.ts";
import { verifyCommandsFor } from "../iteration/verify-commands.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { moveCommit, type PendingCommit } from "../rows/pending-commit-store.ts";
import type { Landing } from "../rows/slot.ts";
import { leave, type OwnedState } from "../rows/workspace-state.ts";
import { readWorkspaceState, writeWorkspaceState } from "../rows/workspace-state-store.ts";
import { clearTree } from "../tree/salvage-work.ts";
import { createTempFolder } from "../tree/temp-folder.ts";

type Lander = Loop & { readonly landing: Landing };

/** Work that stands on the tip of the run's branch and is verified there, or the outcome of an attempt that cannot land. */
type OnTip =
  | { readonly owed: PendingCommit; readonly tip: string }
  | { readonly refused: Outcome; readonly owed: PendingCommit };

/**
 * Brings verified work to the tip of the run's branch, and verifies it there if the tip is not the commit that it was verified
 * on. Repeats itself after a kill: until it is on the tip, the work is in the tree or under its salvage ref.
 *
 * @throws RalphError when the run is stopped meanwhile: the work waits for the next run.
 */
export async function bringToTip(loop: Lander, owed: PendingCommit): Promise<OnTip> {
  const tip = await loop.landing.tip();
  const state = await readWorkspaceState(loop.db, loop.workspace);
  if (state.kind !== "free" && state.baseline.head === tip && owed.base === tip) return { owed, tip };
  const { task, outcome } = verdictOf(owed);
  await clearTree(loop, { landing: true });
  const opened = await loop.tree.open(task);
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
  return { owed: moved, tip };
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
