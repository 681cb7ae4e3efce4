import { type AgentLimit, rateLimitsOfPauses } from "../../agents/agent-limits.ts";
import { RalphError } from "../../base/errors.ts";
import { latestPauses } from "../../outcome/interruption-store.ts";
import { requiredModel } from "../../strategy/plan-attempt.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import type { Task } from "../../tasks/graph/task.ts";
import type { Loop } from "../rows/loop.ts";
import { pendingCommits } from "../rows/pending-commit-store.ts";
import { salvageAbandoned } from "../tree/salvage-work.ts";
import { afterInterruption } from "./after-interruption.ts";
import { exhaustedReason } from "./begin-run.ts";
import { chooseTask, noteOutcome, type Ready } from "./choose-task.ts";
import { acceptProposals } from "./decide-skill.ts";
import { closeOpenIterations } from "./recover.ts";
import { runIteration } from "./run.ts";
import { progressOf, type RunState, remaining } from "./run-state.ts";
import {
  limitReached,
  noteMessage,
  type RunStop,
  stopForGuard,
  stopForMessages,
  stopWith,
} from "./stop-rules.ts";
import { availableAgents, waitForAgent, waitWhilePaused } from "./wait-for-agent.ts";

async function readLimits(loop: Loop, state: RunState): Promise<void> {
  const now = loop.clock.now();
  const pauses = await latestPauses(loop.db, now.toISOString());
  for (const [agent, until] of rateLimitsOfPauses(pauses, now)) state.limits.set(agent, until);
}

/** Attempts one ready task after the other, until none is ready or a limit is reached. Returns why the run ends. */
export async function attemptTasks(loop: Loop, state: RunState): Promise<RunStop> {
  if (!loop.options.ignoreLimits) await readLimits(loop, state);
  for (;;) {
    if (loop.stop.aborted) return stopWith("stopped");
    const task = await readyTask(loop, state);
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

/** Returns the next task: another one than that which just met a fault of the agent, if one is ready. */
async function readyTask({ db, options }: Loop, { faults }: RunState): Promise<Task | undefined> {
  const only = options.only ?? undefined;
  const other = faults.last && (await nextTask(db, only, { except: faults.last.taskId }));
  return other ?? nextTask(db, only);
}

/** Chooses the task to attempt by the state of the project's verification (LOOP-20), unless its commit would be refused. */
async function chooseByBaseline(loop: Loop, state: RunState, task: Task): Promise<Ready | RunStop> {
  const early = stopForMessages(state.refusedMessages, task) ?? stopForMissingAgent(loop, state);
  if (early) return early;
  try {
    const { baseline } = state;
    const choice = await chooseTask(loop, { baseline, task, remainingMs: remaining(loop, state) });
    return loop.stop.aborted ? stopWith("stopped") : choice;
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

/** Returns the end of a run whose agent is not installed, before a verification that may take minutes. */
function stopForMissingAgent(loop: Loop, state: RunState): RunStop | undefined {
  if (state.started > 0) return undefined;
  const { choice } = availableAgents(loop, state)(requiredModel(loop.options));
  const error = choice?.agent.missing(loop.root);
  return error ? stopWith("not_found", error.message, error.hint) : undefined;
}

/** Waits until an agent is available and runs one iteration on `task`. Returns undefined when the run continues. */
async function attempt(loop: Loop, state: RunState, chosen: Ready): Promise<RunStop | undefined> {
  try {
    const end = await runIteration(loop, state, chosen);
    if (end.kind === "limited") return await waitFor(loop, state, end.limit);
    if (end.kind === "taken" || end.kind === "given-up") return undefined;
    state.costUsd += end.costUsd ?? 0;
    state.costKnown ||= end.costUsd !== null;
    if (end.kind === "interrupted") {
      const next = afterInterruption(loop, state, end);
      return next && "until" in next ? await waitFor(loop, state, next) : next;
    }
    state.iterations += 1;
    state.lostClaims = 0;
    state.faults.last = null;
    state.interruptions.delete(end.outcome.agent);
    state.doubted.delete(end.outcome.agent);
    const { task } = chosen;
    await acceptProposals(loop, state.postponedSkills);
    await noteOutcome(loop, state.baseline, { task, outcome: end.outcome });
    noteMessage(state.refusedMessages, { task, outcome: end.outcome });
    const { done, pending } = state.counts;
    if (end.outcome.name === "done") state.counts = { ...state.counts, done: done + 1, pending: pending - 1 };
    return stopForGuard(state, end.outcome);
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
