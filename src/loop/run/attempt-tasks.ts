import { type AgentLimit, rateLimitsOfPauses } from "../../agents/agent-limits.ts";
import { RalphError } from "../../base/errors.ts";
import { latestPauses } from "../../outcome/interruption-store.ts";
import { clashedTasks } from "../../outcome/outcome-store.ts";
import { requiredModel } from "../../strategy/plan-attempt.ts";
import { nextTask } from "../../tasks/graph/next-task.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import type { Loop } from "../rows/loop.ts";
import { pendingCommits } from "../rows/pending-commit-store.ts";
import { clearTree, salvageAbandoned } from "../tree/salvage-work.ts";
import { adoptMeanwhile } from "./adopt-lists.ts";
import { afterInterruption } from "./after-interruption.ts";
import { exhaustedReason } from "./begin-run.ts";
import { chooseTask, noteOutcome, type Ready } from "./choose-task.ts";
import { acceptProposals } from "./decide-skill.ts";
import { closeOpenIterations } from "./recover.ts";
import { runIteration } from "./run.ts";
import { progressOf, type RunState, remaining } from "./run-state.ts";
import { isShared, othersWork } from "./share-project.ts";
import {
  limitReached,
  noteMessage,
  type RunStop,
  stopForGuard,
  stopForMessages,
  stopForPrice,
  stopWith,
} from "./stop-rules.ts";
import { availableAgents, waitForAgent, waitWhilePaused } from "./wait-for-agent.ts";

/** Runs the slots beside each other, until none finds a ready task or a limit is reached. Returns why the run ends. */
export async function attemptTasks(loop: Loop, slots: readonly Loop[], state: RunState): Promise<RunStop> {
  if (!loop.options.ignoreLimits) await readLimits(loop, state);
  if (slots.length > 1) state.clashed = await clashedTasks(loop.db);
  const ends = await Promise.allSettled(slots.map((slot) => workSlot(slot, state)));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return state.end ?? stopWith("stopped");
}

async function readLimits(loop: Loop, state: RunState): Promise<void> {
  const now = loop.clock.now();
  const pauses = await latestPauses(loop.db, now.toISOString());
  for (const [agent, until] of rateLimitsOfPauses(pauses, now)) state.limits.set(agent, until);
}

/** Attempts one ready task after the other, until the run ends. */
async function workSlot(loop: Loop, state: RunState): Promise<void> {
  try {
    while (state.end === null) {
      const next = await state.queue.choose(async () => {
        const chosen = await chooseNext(loop, state);
        if ("task" in chosen) state.queue.busy.add(chosen.task.id);
        return chosen;
      });
      if ("change" in next) await next.change;
      else if ("reason" in next) state.end ??= next;
      else {
        const stop = await attempt(loop, state, next).finally(() => state.queue.end(next.task.id));
        if (stop) state.end ??= stop;
      }
    }
  } catch (error) {
    // The other slots end with their attempts.
    state.end ??= stopWith("error");
    throw error;
  } finally {
    state.queue.end("");
  }
}

/** `change`: nothing may begin before another slot has ended its attempt. */
type Next = Ready | RunStop | { readonly change: Promise<void> };

async function chooseNext(loop: Loop, state: RunState): Promise<Next> {
  for (;;) {
    await adoptMeanwhile(loop);
    if (loop.stop.aborted) return stopWith("stopped");
    if (state.end) return state.end;
    const { busy } = state.queue;
    const task = await readyTask(loop, state);
    const mustWait = busy.size > 0 && (!task || state.afterLimit || isSpoken(loop, state));
    if (mustWait) return { change: changeOf(loop, state) };
    if (!task) return whenNothingIsReady(loop, state);
    const end = endByLimit(loop, state);
    if (end) return end;
    const pausedMs = await besideWork(loop, waitWhilePaused(loop));
    state.pausedMs += pausedMs;
    // The task may be done by now.
    if (pausedMs === 0) return chooseByBaseline(loop, state, task);
  }
}

function endByLimit(loop: Loop, state: RunState): RunStop | undefined {
  const limit = limitReached(loop.options, progressOf(loop, state));
  return limit ? stopWith(limit) : stopForPrice(loop.options, state);
}

/** Milliseconds between two looks at what other machines have done. */
const lookMs = 1000;

/** Resolves when another slot has ended its work, or another machine may have. */
function changeOf(loop: Loop, { queue }: RunState): Promise<void> {
  const change = queue.change();
  return isShared(loop) ? Promise.race([change, loop.clock.sleep(lookMs, loop.stop)]) : change;
}

/** Returns true when the attempts of the other slots may use up what is left of a limit. */
function isSpoken(loop: Loop, state: RunState): boolean {
  const { maxIterations, budgetUsd } = loop.options.limits;
  const others = state.queue.busy.size;
  const { iterations, costUsd } = progressOf(loop, state);
  if (maxIterations > 0 && iterations + others >= maxIterations) return true;
  return budgetUsd !== null && costUsd + (others + 1) * highCost(state.costs) >= budgetUsd;
}

/** Returns the 90th percentile of what attempts cost. */
function highCost(costs: readonly number[]): number {
  return costs.toSorted((a, b) => a - b)[Math.floor(costs.length * 0.9)] ?? 0;
}

/**
 * Returns the next task that no slot works on: rather one whose files no other slot changes. One whose work clashed with what landed
 * comes last, and waits while a slot changes a file of it.
 */
async function readyTask(loop: Loop, { faults, queue, clashed }: RunState): Promise<Task | undefined> {
  const { adopted, db } = loop;
  const only = loop.options.only ?? undefined;
  const busy = [...queue.busy, ...adopted.waiting];
  const last = [...clashed.keys(), ...(faults.last ? [faults.last.taskId] : [])].filter(
    (id) => !queue.busy.has(id),
  );
  const first = await nextTask(db, only, { except: [...busy, ...last] });
  if (!first && last.length === 0) return undefined;
  const taken = new Set(
    (await Promise.all([...queue.busy].map((id) => getTask(db, id)))).flatMap((task) => task?.files ?? []),
  );
  for (const id of queue.busy) for (const file of clashed.get(id) ?? []) taken.add(file);
  if (!first) {
    const waits = last.filter((id) => clashed.get(id)?.some((file) => taken.has(file)));
    return nextTask(db, only, { except: [...busy, ...waits] });
  }
  const passed: string[] = [];
  for (let task: Task | undefined = first; task && passed.length < maxPassed; ) {
    if (!task.files.some((file) => taken.has(file))) return task;
    passed.push(task.id);
    task = await nextTask(db, only, { except: [...busy, ...last, ...passed] });
  }
  return first;
}

/** Tasks that are passed over for one whose files no other slot changes. */
const maxPassed = 5;

/** Chooses the task to attempt by the state of the project's verification (LOOP-20), unless its commit would be refused. */
async function chooseByBaseline(loop: Loop, state: RunState, task: Task): Promise<Ready | RunStop> {
  const early = stopForMessages(state.refusedMessages, task) ?? stopForMissingAgent(loop, state);
  if (early) return early;
  try {
    const { baseline } = state;
    const choice = await chooseTask(loop, { baseline, task, remainingMs: remaining(loop, state) });
    return loop.stop.aborted ? stopWith("stopped") : choice;
  } catch (error) {
    return stopForGit(loop, state, error, task.id);
  }
}

async function whenNothingIsReady(loop: Loop, state: RunState): Promise<Next> {
  if (await othersWork(loop)) return { change: changeOf(loop, state) };
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
    // The retry may begin in any slot: it finds what this attempt left, and no slot keeps work of a task that another one lands.
    if (loop.landing) await clearTree(loop);
    if (end.kind === "limited") return await waitFor(loop, state, end.limit);
    if (end.kind === "taken" || end.kind === "given-up") return undefined;
    noteCost(state, end.costUsd);
    if (end.kind === "interrupted") {
      const next = afterInterruption(loop, state, end);
      return next && "until" in next ? await waitFor(loop, state, next) : next;
    }
    state.iterations += 1;
    state.afterLimit = false;
    state.lostClaims = 0;
    state.faults.last = null;
    state.interruptions.delete(end.outcome.agent);
    state.doubted.delete(end.outcome.agent);
    const { task } = chosen;
    if (end.outcome.costUsd === null && end.outcome.tokens !== null) state.unpriced = end.outcome.model;
    await acceptProposals(loop, state.postponedSkills);
    await noteOutcome(loop, state.baseline, { task, outcome: end.outcome });
    noteMessage(state.refusedMessages, { task, outcome: end.outcome });
    const { done, pending } = state.counts;
    if (end.outcome.clashed) state.clashed.set(task.id, end.outcome.work.files);
    if (end.outcome.name === "done") state.counts = { ...state.counts, done: done + 1, pending: pending - 1 };
    return stopForGuard(state, end.outcome);
  } catch (error) {
    return stopForGit(loop, state, error, chosen.task.id);
  }
}

function noteCost(state: RunState, costUsd: number | null): void {
  state.costUsd += costUsd ?? 0;
  state.costKnown ||= costUsd !== null;
  if (costUsd !== null) state.costs.push(costUsd);
}

/** @throws `error` when it is not an error of git. */
async function stopForGit(loop: Loop, state: RunState, error: unknown, taskId: string): Promise<RunStop> {
  if (!(error instanceof RalphError) || !error.code.startsWith("RALPH_GIT_")) throw error;
  await closeOpenIterations(loop, error.message, taskId);
  const [owed] = await pendingCommits(loop.db, loop.workspace.slot);
  if (!owed) return stopWith("git", error.message, error.hint ?? null);
  // The attempt of a pending commit was judged.
  state.iterations += 1;
  noteCost(state, owed.verdict?.outcome.costUsd ?? null);
  if (loop.stop.aborted) return stopWith("stopped");
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
  state.afterLimit = true;
  return loop.stop.aborted ? stopWith("stopped") : undefined;
}
