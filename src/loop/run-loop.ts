import { join } from "node:path";
import { pruneLogs } from "../agents/prune-logs.ts";
import { messageOf, RalphError } from "../base/errors.ts";
import type { TaskCounts } from "../events/run-events.ts";
import { knownError } from "../trust/safe-file.ts";
import { branchName } from "../workspace/git/read-head.ts";
import { renamedPaths } from "../workspace/renamed-paths.ts";
import { endChoosing } from "./iteration/choose-ahead.ts";
import { openIterationsHere } from "./rows/iteration-store.ts";
import type { Loop, LoopSetup } from "./rows/loop.ts";
import type { Repeated } from "./rows/repeat.ts";
import type { Landing } from "./rows/slot.ts";
import { adoptLists } from "./run/adopt-lists.ts";
import { attemptTasks } from "./run/attempt-tasks.ts";
import { acquireProject, announceRun, releaseProject } from "./run/begin-run.ts";
import { rememberVerifiedTree } from "./run/check-baseline.ts";
import { acceptProposals } from "./run/decide-skill.ts";
import { finishRun, publishUnrecordedEnd, type RunEnd } from "./run/end-run.ts";
import { dropUnused, landingBranch } from "./run/landing-branch.ts";
import { openLoop } from "./run/open-loop.ts";
import { closeSlots, landingOn, openSlots, setUpSlots } from "./run/open-slots.ts";
import { closeOpenIterations, recover } from "./run/recover.ts";
import { beginState, costOf, maintainProject, type RunState } from "./run/run-state.ts";
import { shareProject } from "./run/share-project.ts";
import { type RunStop, stopWith } from "./run/stop-rules.ts";
import { startHeartbeat } from "./tree/last-heartbeat.ts";
import { openBranch, openTree } from "./tree/open-tree.ts";
import { tryCommits } from "./try-commits.ts";

/** The end of a run. */
export interface RunResult extends RunEnd {
  /** The error that ended it; null: none. */
  readonly fault: unknown;
}

/**
 * Executes one `ralph run`: recovers from a crash, then runs iterations until no task is ready or a limit is reached.
 * Events and rows are in the database and the event log; the returned end has the reason and the exit code. An error
 * after the start (a full disk, a bug) is an end too: reason `error`, with the thrown value as `fault`.
 *
 * @throws RalphError when the environment makes work impossible from the start (another run, a dirty tree).
 */
export async function runLoop(setup: LoopSetup): Promise<RunResult> {
  const loop = openLoop(setup);
  await acquireProject(loop);
  const life = await startLife(loop);
  const { counts, landing } = await prepareProject(loop, life);
  const state = beginState(loop, counts);
  const iterations = loop.liveMessages.during(work(loop, state, landing));
  const stop = await iterations.catch((error: unknown) => endedByError(loop, error));
  if (state.baseline.verifiedTree && stop.fault === null)
    await rememberVerifiedTree(loop).catch(() => undefined);
  loop.background.postpone("capture", () => loop.memory.finishCapture({ signal: loop.stop }));
  await endChoosing(loop);
  await loop.background.finish();
  if (stop.fault === null) await acceptProposals(loop, state.postponedSkills);
  await maintainProject(loop);
  // The next run removes at its start what cannot be removed now.
  await loop.clean?.remove().catch(() => undefined);
  const facts = {
    landedOn: landing && branchName(landing.branch),
    ...stop,
    iterations: state.started,
    costUsd: state.costKnown || loop.choosing.spent.priced ? costOf(loop, state) : null,
    durationMs: Math.round(loop.clock.monotonic() - state.startedMs),
  };
  try {
    const end = await finishRun(loop, facts);
    await life.stop();
    return { ...end, fault: stop.fault };
  } catch (error) {
    const fault = stop.fault ?? knownError(error);
    const lost = { ...facts, ...stopWith("error", messageOf(fault), hintOf(fault)), fault };
    return { ...(await publishUnrecordedEnd(loop, lost, state.counts)), fault };
  }
}

/** Shows that this run lives, to the next run of this working copy and to other machines. */
async function startLife(loop: Loop): Promise<Repeated> {
  const [heartbeat, sharing] = [await startHeartbeat(loop), shareProject(loop)];
  return { stop: async () => void (await Promise.all([sharing.stop(), heartbeat.stop()])) };
}

/** Works in the project's own tree, or in the trees of workers. */
async function work(loop: Loop, state: RunState, landing: Landing | null): Promise<RunStop> {
  if (!landing) return attemptTasks(loop, [loop], state);
  const slots = await openSlots(loop, landing, loop.options.workers ?? 1);
  const stop = (await setUpSlots(slots)) ?? (await attemptTasks(loop, slots, state));
  await closeSlots(loop, slots);
  await dropUnused(loop, landing);
  return stop;
}

/** Ends the current iteration without a verdict. If that cannot be written, the next run recovers it. */
async function endedByError(loop: Loop, error: unknown): Promise<RunStop> {
  const fault = knownError(error);
  await closeOpenIterations(loop, `ended by an error: ${messageOf(fault)}`).catch(() => undefined);
  return { ...stopWith("error", messageOf(fault), hintOf(fault)), fault };
}

function hintOf(error: unknown): string | null {
  return error instanceof RalphError ? (error.hint ?? null) : null;
}

interface Prepared {
  readonly counts: TaskCounts;
  /** Null: the run works in the project's own tree. */
  readonly landing: Landing | null;
}

/** Recovers and inspects the tree before the run is announced. A run that cannot begin releases the project. */
async function prepareProject(loop: Loop, life: Repeated): Promise<Prepared> {
  let userPaths: readonly string[] = [];
  let landing: Landing | null = null;
  try {
    const crashed = (await openIterationsHere(loop.db)).length > 0;
    const recovered = await recover(loop);
    if (loop.options.workers !== null) landing = landingOn(loop, await landingBranch(loop));
    userPaths = [...recovered, ...(landing ? [] : await openTree(loop))];
    await adoptLists(loop, { crashed });
    if (!landing) await openBranch(loop);
    await tryCommits(loop);
    const { workspace } = loop;
    if (workspace) await loop.memory.followRenames(loop.runId, (paths) => renamedPaths(workspace, paths));
    await pruneLogs(join(loop.folder, "logs"), loop.runId, loop.clock.now());
  } catch (error) {
    await releaseProject(loop, "refused");
    await life.stop();
    throw error;
  }
  return { counts: await announceRun(loop, { userPaths, landing }), landing };
}
