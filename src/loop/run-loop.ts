import { join } from "node:path";
import {
  type AgentLimit,
  addLimit,
  pickAgent,
  rateLimitsOfPauses,
  retriesExhausted,
} from "../agents/agent-limits.ts";
import { pruneLogs } from "../agents/prune-logs.ts";
import { messageOf, RalphError } from "../base/errors.ts";
import type { TaskCounts } from "../events/run-events.ts";
import { latestPauses } from "../outcome/interruption-store.ts";
import { selectModel } from "../strategy/select-model.ts";
import { nextTask } from "../tasks/next-task.ts";
import type { Task } from "../tasks/task.ts";
import type { Interruption } from "./iteration/interruption.ts";
import { runIteration } from "./iteration/run-iteration.ts";
import type { Loop } from "./loop.ts";
import { pendingCommits } from "./pending-commit-store.ts";
import { acquireProject, announceRun, exhaustedReason, releaseProject } from "./run/begin-run.ts";
import { finishRun, publishUnrecordedEnd, type RunEnd } from "./run/end-run.ts";
import { showAlive } from "./run/last-alive.ts";
import { maintainProject } from "./run/maintain-project.ts";
import { openBranch } from "./run/open-branch.ts";
import { closeOpenIterations, recover } from "./run/recover.ts";
import { beginState, maintenanceDue, progressOf, type RunState, remaining } from "./run/run-state.ts";
import { limitReached, type StopReason } from "./run/stop-rules.ts";
import { publishFallback, waitForAgent } from "./run/wait-for-agent.ts";
import { waitWhilePaused } from "./run-control.ts";
import { openTree } from "./tree/open-tree.ts";
import { salvageAbandoned } from "./tree/switch-tree-to-task.ts";

/** So often in a row an agent may lose the task that it works on. */
const maxLostClaims = 8;

/** How a run ended, and what it ended by when that was thrown. */
export interface RunResult extends RunEnd {
  readonly fault: unknown;
}

/**
 * One `ralph run`: recovers what a crash left, then runs iterations until no task is ready or a limit is reached.
 * What happened is in the database and the event log; the returned end says why it stopped and the exit code. What
 * goes wrong once it has begun (a full disk, a bug) is an end too: reason `error`, with what was thrown.
 *
 * @throws RalphError when the environment makes work impossible from the start (another run, a dirty tree).
 */
export async function runLoop(loop: Loop): Promise<RunResult> {
  await acquireProject(loop);
  const life = await showAlive(loop);
  const counts = await prepareProject(loop, life);
  const state = beginState(loop, counts);
  const stop = await untilStopped(loop, state).catch((error: unknown) => endedByError(loop, error));
  await maintainProject(loop);
  const facts = {
    ...stop,
    iterations: state.iterations,
    costUsd: state.costKnown ? state.costUsd : null,
    durationMs: Math.round(loop.clock.monotonic() - state.startedMs),
  };
  try {
    const end = await finishRun(loop, facts);
    await life.stop();
    return { ...end, fault: stop.fault };
  } catch (error) {
    const fault = stop.fault ?? error;
    const lost = { ...facts, ...stopWith("error", messageOf(fault), hintOf(fault)), fault };
    return { ...publishUnrecordedEnd(loop, lost, state.counts), fault };
  }
}

/** The iteration that it hit is given back as far as that can still be written; else the next run recovers it. */
async function endedByError(loop: Loop, fault: unknown): Promise<RunStop> {
  await closeOpenIterations(loop, `ended by an error: ${messageOf(fault)}`).catch(() => undefined);
  return { ...stopWith("error", messageOf(fault), hintOf(fault)), fault };
}

function hintOf(error: unknown): string | null {
  return error instanceof RalphError ? (error.hint ?? null) : null;
}

/** Recovery and a look at the tree, before the run is announced; a run that cannot begin holds nothing. */
async function prepareProject(loop: Loop, life: { stop(): Promise<void> }): Promise<TaskCounts> {
  const persons: string[] = [];
  try {
    persons.push(...(await recover(loop)));
    persons.push(...(await openTree(loop)));
    await openBranch(loop);
    await pruneLogs(join(loop.folder, "logs"), loop.runId, loop.clock.now());
  } catch (error) {
    await releaseProject(loop, "refused");
    await life.stop();
    throw error;
  }
  return announceRun(loop, persons);
}

interface RunStop {
  readonly reason: StopReason;
  readonly message: string | null;
  readonly hint: string | null;
  readonly fault: unknown;
}

const stopWith = (
  reason: StopReason,
  message: string | null = null,
  hint: string | null = null,
): RunStop => ({
  reason,
  message,
  hint,
  fault: null,
});

async function untilStopped(loop: Loop, state: RunState): Promise<RunStop> {
  if (!loop.options.ignoreLimits) {
    const now = loop.clock.now();
    const pauses = await latestPauses(loop.db, now.toISOString());
    for (const [agent, until] of rateLimitsOfPauses(pauses, now)) state.limits.set(agent, until);
  }
  for (;;) {
    if (loop.stop.aborted) return stopWith("stopped");
    const task = await nextTask(loop.db, loop.options.only ?? undefined);
    if (!task) return whenNothingIsReady(loop);
    const limit = limitReached(loop.options, progressOf(loop, state));
    if (limit) return stopWith(limit);
    const pausedMs = await waitWhilePaused(loop);
    state.pausedMs += pausedMs;
    // What was picked may be done by now.
    if (pausedMs > 0) continue;
    const stop = await attempt(loop, state, task);
    if (stop) return stop;
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

/** One iteration on `task`, with the wait before it and the pause after it. A stop, or undefined to go on. */
async function attempt(loop: Loop, state: RunState, task: Task): Promise<RunStop | undefined> {
  const { strategy, flagModel } = loop.options;
  const picked = pickAgent(loop.agents, state.limits, {
    model: (one) => flagModel ?? (strategy === "fixed" ? one.defaultModel : null),
    now: loop.clock.now(),
  });
  if (picked.wait) return waitFor(loop, state, picked.wait);
  const { agent, tiers } = picked.choice;
  state.fallback = publishFallback(loop, {
    before: state.fallback,
    agent: agent.name,
    insteadOf: picked.insteadOf,
  });
  const choice = await selectModel(loop.db, {
    strategy,
    tiers,
    defaultModel: agent.defaultModel,
    flagModel,
    task,
    iteration: state.started + 1,
  });
  try {
    state.started += 1;
    const end = await runIteration(loop, {
      task,
      agent,
      tiers,
      interruptions: state.interruptions.get(agent.name) ?? 0,
      ...choice,
      number: state.started,
      remainingMs: remaining(loop, state),
      maintainMemory: maintenanceDue(state),
    });
    if (end.kind === "taken") return undefined;
    state.costUsd += end.costUsd ?? 0;
    state.costKnown ||= end.costUsd !== null;
    if (end.kind === "interrupted") return afterInterruption(loop, state, { agent: agent.name, ...end });
    state.iterations += 1;
    state.lostClaims = 0;
    state.interruptions.delete(agent.name);
    const { done, pending } = state.counts;
    if (end.outcome.name === "done") state.counts = { ...state.counts, done: done + 1, pending: pending - 1 };
    return undefined;
  } catch (error) {
    return stopForGit(loop, state, error);
  }
}

/** @throws `error` when it is not git's. */
async function stopForGit(loop: Loop, state: RunState, error: unknown): Promise<RunStop> {
  if (!(error instanceof RalphError) || !error.code.startsWith("RALPH_GIT_")) throw error;
  await closeOpenIterations(loop, error.message);
  const [owed] = await pendingCommits(loop.db);
  if (!owed) return stopWith("git", error.message, error.hint ?? null);
  // What is to be committed was judged.
  state.iterations += 1;
  const costUsd = owed.verdict?.outcome.costUsd ?? null;
  state.costUsd += costUsd ?? 0;
  state.costKnown ||= costUsd !== null;
  return stopWith("commit-failed", error.message, error.hint ?? null);
}

function afterInterruption(
  loop: Loop,
  state: RunState,
  end: {
    readonly agent: string;
    readonly interruption: Interruption;
    readonly limit: AgentLimit | null;
  },
): RunStop | undefined {
  const { kind, message, hint } = end.interruption;
  switch (kind) {
    case "cancelled":
      if (loop.stop.aborted) return stopWith("stopped");
      // The task was failed or taken meanwhile: the next one follows, but not for ever where an agent causes it.
      state.lostClaims += 1;
      return state.lostClaims > maxLostClaims ? stopWith("agent-unavailable", message, hint) : undefined;
    case "deadline":
      return stopWith("max-duration");
    case "auth":
    case "credit":
    case "not_found":
    case "permission":
    case "unusable":
    case "cannot-verify":
      return stopWith(kind, message, hint);
    default: {
      const inARow = (state.interruptions.get(end.agent) ?? 0) + 1;
      state.interruptions.set(end.agent, inARow);
      if (retriesExhausted(end.interruption, inARow, loop.clock.now())) {
        return stopWith("agent-unavailable", `${inARow} tries in a row failed: ${message}`, hint);
      }
      if (end.limit) addLimit(state.limits, end.limit);
      return undefined;
    }
  }
}

async function waitFor(loop: Loop, state: RunState, limit: AgentLimit): Promise<RunStop | undefined> {
  const left = remaining(loop, state);
  const earlier = state.started === 0;
  if (left !== null && limit.until - loop.clock.now().getTime() > left) {
    const until = new Date(limit.until).toISOString();
    return stopWith(
      "max-duration",
      `${limit.agent} is limited until ${until}, after the run's --max-duration`,
      earlier ? "does it no longer hold? ralph run --ignore-limits asks at once" : null,
    );
  }
  await waitForAgent(loop, limit, earlier);
  return loop.stop.aborted ? stopWith("stopped") : undefined;
}
