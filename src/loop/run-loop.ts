import { join } from "node:path";
import { type AgentLimit, pickAgent, rateLimitsOfPauses } from "../agents/agent-limits.ts";
import { pruneLogs } from "../agents/prune-logs.ts";
import { messageOf, RalphError } from "../base/errors.ts";
import type { TaskCounts } from "../events/run-events.ts";
import { latestPauses } from "../outcome/interruption-store.ts";
import { nextTask } from "../tasks/graph/next-task.ts";
import type { Task } from "../tasks/graph/task.ts";
import { knownError } from "../trust/safe-file.ts";
import { openLiveMessages } from "./iteration/live-messages.ts";
import { openBackground } from "./rows/background.ts";
import { openIterations } from "./rows/iteration-store.ts";
import type { Loop, LoopSetup } from "./rows/loop.ts";
import { pendingCommits } from "./rows/pending-commit-store.ts";
import { acceptProposals } from "./run/accept-proposals.ts";
import { adoptLists } from "./run/adopt-lists.ts";
import { afterInterruption } from "./run/after-interruption.ts";
import { acquireProject, announceRun, exhaustedReason, releaseProject } from "./run/begin-run.ts";
import { rememberVerifiedTree } from "./run/check-baseline.ts";
import { type Choice, chooseTask, noteOutcome } from "./run/choose-task.ts";
import { finishRun, publishUnrecordedEnd, type RunEnd } from "./run/end-run.ts";
import { maintainProject } from "./run/maintain-project.ts";
import { openBranch } from "./run/open-branch.ts";
import { closeOpenIterations, recover } from "./run/recover.ts";
import { noteMessage, stopForMessages } from "./run/refused-messages.ts";
import { runIteration } from "./run/run.ts";
import { waitWhilePaused } from "./run/run-control.ts";
import { beginState, maintenanceDue, progressOf, type RunState, remaining } from "./run/run-state.ts";
import { limitReached, type RunStop, stopWith } from "./run/stop-rules.ts";
import { publishFallback, waitForAgent } from "./run/wait-for-agent.ts";
import { openCleanVerification } from "./tree/clean-verification.ts";
import { startHeartbeat } from "./tree/last-heartbeat.ts";
import { openMadeFiles } from "./tree/made-files.ts";
import { openTree } from "./tree/open-tree.ts";
import { salvageAbandoned } from "./tree/switch-tree-to-task.ts";

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
  const loop: Loop = {
    ...setup,
    background: openBackground(setup),
    liveMessages: openLiveMessages(setup),
    made: openMadeFiles(setup),
    executed: new Set(),
    missing: new Set(),
    clean: openCleanVerification(setup),
  };
  await acquireProject(loop);
  const life = await startHeartbeat(loop);
  const counts = await prepareProject(loop, life);
  const state = beginState(loop, counts);
  const iterations = loop.liveMessages.during(untilStopped(loop, state));
  const stop = await iterations.catch((error: unknown) => endedByError(loop, error));
  if (state.baseline.verifiedTree && stop.fault === null)
    await rememberVerifiedTree(loop).catch(() => undefined);
  loop.background.postpone("capture", () => loop.memory.finishCapture({ signal: loop.stop }));
  await loop.background.finish();
  if (stop.fault === null) await acceptProposals(loop, state.postponedSkills);
  await maintainProject(loop);
  // What cannot be removed is removed when the next run starts.
  await loop.clean?.remove().catch(() => undefined);
  const facts = {
    ...stop,
    iterations: state.started,
    costUsd: state.costKnown ? state.costUsd : null,
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

/** Ends the current iteration without a verdict. If that cannot be written, the next run recovers it. */
async function endedByError(loop: Loop, error: unknown): Promise<RunStop> {
  const fault = knownError(error);
  await closeOpenIterations(loop, `ended by an error: ${messageOf(fault)}`).catch(() => undefined);
  return { ...stopWith("error", messageOf(fault), hintOf(fault)), fault };
}

function hintOf(error: unknown): string | null {
  return error instanceof RalphError ? (error.hint ?? null) : null;
}

/** Recovers and inspects the tree before the run is announced. A run that cannot begin releases the project. */
async function prepareProject(loop: Loop, life: { stop(): Promise<void> }): Promise<TaskCounts> {
  let userPaths: readonly string[] = [];
  try {
    const crashed = (await openIterations(loop.db)).length > 0;
    const recovered = await recover(loop);
    userPaths = [...recovered, ...(await openTree(loop))];
    await adoptLists(loop, { crashed });
    await openBranch(loop);
    await pruneLogs(join(loop.folder, "logs"), loop.runId, loop.clock.now());
  } catch (error) {
    await releaseProject(loop, "refused");
    await life.stop();
    throw error;
  }
  return announceRun(loop, userPaths);
}

async function readLimits(loop: Loop, state: RunState): Promise<void> {
  const now = loop.clock.now();
  const pauses = await latestPauses(loop.db, now.toISOString());
  for (const [agent, until] of rateLimitsOfPauses(pauses, now)) state.limits.set(agent, until);
}

async function untilStopped(loop: Loop, state: RunState): Promise<RunStop> {
  if (!loop.options.ignoreLimits) await readLimits(loop, state);
  for (;;) {
    if (loop.stop.aborted) return stopWith("stopped");
    const task = await nextTask(loop.db, loop.options.only ?? undefined);
    if (!task) return whenNothingIsReady(loop);
    const limit = limitReached(loop.options, progressOf(loop, state));
    if (limit) return stopWith(limit);
    const pausedMs = await besideWork(loop, waitWhilePaused(loop));
    state.pausedMs += pausedMs;
    // The task may be done by now.
    if (pausedMs > 0) continue;
    const choice = await chooseByBaseline(loop, state, task);
    const stop = "task" in choice ? await attempt(loop, state, choice) : choice;
    if (stop) return stop;
  }
}

type Chosen = Extract<Choice, { readonly task: Task }>;

/** Chooses the task to attempt by the state of the project's verification (LOOP-20), unless its commit would be refused. */
async function chooseByBaseline(loop: Loop, state: RunState, task: Task): Promise<Chosen | RunStop> {
  const early = stopForMessages(state.refusedMessages, task) ?? stopForMissingAgent(loop, state);
  if (early) return early;
  try {
    const { baseline } = state;
    const choice = await chooseTask(loop, { baseline, task, remainingMs: remaining(loop, state) });
    if (loop.stop.aborted) return stopWith("stopped");
    if ("task" in choice) return choice;
    const { stop } = choice;
    return stop ? stopWith(stop.reason, stop.message, stop.hint) : stopWith("max-duration");
  } catch (error) {
    return stopForGit(loop, state, error);
  }
}

async function whenNothingIsReady(loop: Loop): Promise<RunStop> {
  try {
    await salvageAbandoned(loop);
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return stopWith("git", error.message, error.hint ?? null);
  }
  const { reason, message, hint } = await exhaustedReason(loop);
  return stopWith(reason, message, hint);
}

function chooseAgent({ agents, clock, options }: Loop, { limits }: RunState): ReturnType<typeof pickAgent> {
  const { strategy, flagModel } = options;
  return pickAgent(agents, limits, {
    model: (one) => flagModel ?? (strategy === "fixed" ? one.defaultModel : null),
    now: clock.now(),
  });
}

/** Returns the end of a run whose agent is not installed, before a verification that may take minutes. */
function stopForMissingAgent(loop: Loop, state: RunState): RunStop | undefined {
  if (state.started > 0) return undefined;
  const { choice } = chooseAgent(loop, state);
  const error = choice?.agent.missing(loop.root);
  return error ? stopWith("not_found", error.message, error.hint) : undefined;
}

/** Waits until an agent is available and runs one iteration on `task`. Returns undefined when the run continues. */
async function attempt(
  loop: Loop,
  state: RunState,
  { task, failedBefore }: Chosen,
): Promise<RunStop | undefined> {
  const picked = chooseAgent(loop, state);
  if (picked.wait) return waitFor(loop, state, picked.wait);
  const { agent, tiers } = picked.choice;
  state.fallback = publishFallback(loop, {
    before: state.fallback,
    agent: agent.name,
    insteadOf: picked.insteadOf,
  });
  try {
    state.started += 1;
    if (maintenanceDue(state)) {
      loop.background.queue((pacer) => maintainProject(loop, pacer));
    }
    const end = await runIteration(loop, {
      task,
      failedBefore,
      agent,
      tiers,
      interruptions: state.interruptions.get(agent.name) ?? 0,
      number: state.started,
      remainingMs: remaining(loop, state),
    });
    if (end.kind === "taken") return undefined;
    state.costUsd += end.costUsd ?? 0;
    state.costKnown ||= end.costUsd !== null;
    if (end.kind === "interrupted") {
      const next = afterInterruption(loop, state, { agent: agent.name, ...end });
      return next && "until" in next ? await waitFor(loop, state, next) : next;
    }
    state.iterations += 1;
    state.lostClaims = 0;
    state.interruptions.delete(agent.name);
    state.doubted.delete(agent.name);
    await acceptProposals(loop, state.postponedSkills);
    await noteOutcome(loop, state.baseline, { task, outcome: end.outcome });
    noteMessage(state.refusedMessages, { task, outcome: end.outcome });
    const { done, pending } = state.counts;
    if (end.outcome.name === "done") state.counts = { ...state.counts, done: done + 1, pending: pending - 1 };
    return undefined;
  } catch (error) {
    return stopForGit(loop, state, error);
  }
}

/** @throws `error` when it is not an error of git. */
async function stopForGit(loop: Loop, state: RunState, error: unknown): Promise<RunStop> {
  if (!(error instanceof RalphError) || !error.code.startsWith("RALPH_GIT_")) throw error;
  await closeOpenIterations(loop, error.message);
  const [owed] = await pendingCommits(loop.db);
  if (!owed) return stopWith("git", error.message, error.hint ?? null);
  // The attempt of a pending commit was judged.
  state.iterations += 1;
  const costUsd = owed.verdict?.outcome.costUsd ?? null;
  state.costUsd += costUsd ?? 0;
  state.costKnown ||= costUsd !== null;
  return stopWith("commit-failed", error.message, error.hint ?? null);
}

/** Waits, perhaps for hours. What the attempts before have left for a later agent is done meanwhile. */
function besideWork<T>(loop: Loop, wait: Promise<T>): Promise<T> {
  loop.background.postpone("capture", () => loop.memory.finishCapture());
  return loop.background.during(wait);
}

async function waitFor(loop: Loop, state: RunState, limit: AgentLimit): Promise<RunStop | undefined> {
  const left = remaining(loop, state);
  const earlier = state.started === 0;
  if (left !== null && limit.until - loop.clock.now().getTime() > left) {
    const until = new Date(limit.until).toISOString();
    return stopWith(
      "max-duration",
      `${limit.agent} is limited until ${until}, after the run's --max-duration`,
      earlier ? "if the limit no longer applies: ralph run --ignore-limits" : null,
    );
  }
  await besideWork(loop, waitForAgent(loop, limit, earlier));
  return loop.stop.aborted ? stopWith("stopped") : undefined;
}
