import { RalphError } from "../base/errors.ts";
import { selectModel } from "../memory/select-model.ts";
import { nextTask } from "../tasks/next-task.ts";
import type { Task } from "../tasks/task.ts";
import { type AgentLimits, openLimits, pauseUntil, pickAgent } from "./agent-limits.ts";
import {
  announceRun,
  dropProject,
  exhaustedOf,
  finishRun,
  holdProject,
  type RunEnd,
} from "./begin-and-end-run.ts";
import type { Interruption } from "./interruption.ts";
import type { Loop } from "./loop.ts";
import { openTree } from "./open-tree.ts";
import { pendingCommits } from "./pending-commit-store.ts";
import { closeOpenIterations, recover } from "./recover.ts";
import { runIteration } from "./run-iteration.ts";
import { limitReached, type Progress, type StopReason } from "./stop-rules.ts";
import { sleepUnlessAsked, waitWhilePaused } from "./wishes.ts";

/** After so many interruptions in a row without a stated reset, waiting on is burning the night. */
const patience = 8;

interface RunState {
  readonly startedMs: number;
  /** Does not count towards --max-duration. */
  pausedMs: number;
  readonly limits: AgentLimits;
  /** Begun, interrupted ones too: what an iteration's number counts. */
  started: number;
  /** Judged. */
  iterations: number;
  costUsd: number;
  costKnown: boolean;
  interruptionsInARow: number;
}

/**
 * One `ralph run`: recovers what a crash left, then runs iterations until no task is ready or a limit is reached.
 * What happened is in the database and the event log; the returned end says why it stopped and the exit code.
 *
 * @throws RalphError when the environment makes work impossible from the start (another run, a dirty tree).
 */
export async function runLoop(loop: Loop): Promise<RunEnd> {
  await holdProject(loop);
  await makeReady(loop);
  const state: RunState = {
    startedMs: loop.clock.monotonic(),
    pausedMs: 0,
    limits: await openLimits(loop.db, loop.clock),
    started: 0,
    iterations: 0,
    costUsd: 0,
    costKnown: false,
    interruptionsInARow: 0,
  };
  const stop = await untilStopped(loop, state);
  return finishRun(loop, {
    ...stop,
    iterations: state.iterations,
    costUsd: state.costKnown ? state.costUsd : null,
    durationMs: Math.round(loop.clock.monotonic() - state.startedMs),
  });
}

/** Recovery and a look at the tree, before the run is announced; a run that cannot begin holds nothing. */
async function makeReady(loop: Loop): Promise<void> {
  try {
    await recover(loop);
    await openTree(loop);
  } catch (error) {
    await dropProject(loop, "refused");
    throw error;
  }
  await announceRun(loop);
}

interface Stop {
  readonly reason: StopReason;
  readonly message: string | null;
  readonly hint: string | null;
}

const because = (reason: StopReason, message: string | null = null, hint: string | null = null): Stop => ({
  reason,
  message,
  hint,
});

async function untilStopped(loop: Loop, state: RunState): Promise<Stop> {
  for (;;) {
    if (loop.stop.aborted) return because("stopped");
    const task = await nextTask(loop.db, loop.options.only ?? undefined);
    if (!task) {
      const { reason, message } = await exhaustedOf(loop);
      return because(reason, message);
    }
    const limit = limitReached(loop.options, progressOf(loop, state));
    if (limit) return because(limit);
    const pausedMs = await waitWhilePaused(loop);
    state.pausedMs += pausedMs;
    // What was picked may be done by now.
    if (pausedMs > 0) continue;
    const stop = await attempt(loop, state, task);
    if (stop) return stop;
  }
}

function progressOf(loop: Loop, state: RunState): Progress {
  const elapsedMs = workedMs(loop, state);
  return { iterations: state.iterations, costUsd: state.costUsd, elapsedMs };
}

function workedMs(loop: Loop, state: RunState): number {
  return loop.clock.monotonic() - state.startedMs - state.pausedMs;
}

/** One iteration on `task`, with the wait before it and the pause after it. A stop, or undefined to go on. */
async function attempt(loop: Loop, state: RunState, task: Task): Promise<Stop | undefined> {
  const { agent, waitUntil } = pickAgent(loop.agents, state.limits, loop.clock.now());
  if (waitUntil !== null) return waitFor(loop, state, { agent: agent.name, until: waitUntil });
  const choice = await selectModel(loop.db, {
    strategy: loop.options.strategy,
    tiers: agent.tiers,
    defaultModel: agent.defaultModel,
    flagModel: loop.options.flagModel,
    task,
    iteration: state.started + 1,
  });
  try {
    state.started += 1;
    const end = await runIteration(loop, {
      task,
      agent,
      ...choice,
      number: state.started,
      remainingMs: remaining(loop, state),
    });
    if (end.kind === "taken") return undefined;
    state.costUsd += end.costUsd ?? 0;
    state.costKnown ||= end.costUsd !== null;
    if (end.kind === "interrupted") return afterInterruption(loop, state, { agent: agent.name, ...end });
    state.iterations += 1;
    state.interruptionsInARow = 0;
    return undefined;
  } catch (error) {
    if (error instanceof RalphError && error.code.startsWith("RALPH_GIT_")) {
      await closeOpenIterations(loop, error.message);
      const reason = (await pendingCommits(loop.db)).length > 0 ? "commit-failed" : "git";
      return because(reason, error.message, error.hint ?? null);
    }
    throw error;
  }
}

function remaining(loop: Loop, state: RunState): number | null {
  const { maxDurationMs } = loop.options;
  if (maxDurationMs === null) return null;
  return Math.max(1, maxDurationMs - workedMs(loop, state));
}

function afterInterruption(
  loop: Loop,
  state: RunState,
  end: { readonly agent: string; readonly interruption: Interruption },
): Stop | undefined {
  const { kind, message, hint } = end.interruption;
  switch (kind) {
    case "cancelled":
      if (loop.stop.aborted) return because("stopped");
      // The task was failed or taken meanwhile: the next one follows, but not for ever where an agent causes it.
      state.interruptionsInARow += 1;
      return state.interruptionsInARow > patience ? because("agent-unavailable", message, hint) : undefined;
    case "deadline":
      return because("max-duration");
    case "auth":
    case "credit":
    case "not_found":
    case "permission":
      return because(kind, message, hint);
    default:
      state.interruptionsInARow += 1;
      if (end.interruption.resetAt === null && state.interruptionsInARow > patience) {
        return because("agent-unavailable", message, hint);
      }
      state.limits.set(end.agent, pauseUntil(end.interruption, state.interruptionsInARow, loop.clock.now()));
      return undefined;
  }
}

async function waitFor(
  loop: Loop,
  state: RunState,
  wait: { readonly agent: string; readonly until: number },
): Promise<Stop | undefined> {
  const until = new Date(wait.until).toISOString();
  const left = remaining(loop, state);
  const ms = wait.until - loop.clock.now().getTime();
  if (left !== null && ms > left) {
    return because("max-duration", `${wait.agent} is limited until ${until}, after the run's --max-duration`);
  }
  const data = {
    agent: wait.agent,
    kind: "rate_limit",
    message: `${wait.agent} can be used again at ${until}`,
    until,
  };
  loop.log.publish({ type: "limit.waiting", runId: loop.runId, data });
  // A pause is told before the wait goes on.
  if (!(await sleepUnlessAsked(loop, ms))) return loop.stop.aborted ? because("stopped") : undefined;
  loop.log.publish({ type: "limit.over", runId: loop.runId, data: { agent: wait.agent } });
  return undefined;
}
