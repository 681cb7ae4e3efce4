import { ownerIsAlive } from "../../agents/supervision.ts";
import { RalphError } from "../../base/errors.ts";
import type { Owner } from "../../base/owner.ts";
import { count } from "../../base/text.ts";
import { record } from "../../events/outbox-store.ts";
import type { TaskCounts } from "../../events/run-events.ts";
import { recordStory } from "../../events/story-events.ts";
import type { Tx } from "../../store/db.ts";
import { blockersOf } from "../../tasks/graph.ts";
import type { Task } from "../../tasks/task.ts";
import { getTask } from "../../tasks/task-store.ts";
import { currentBranch } from "../../workspace/status.ts";
import { commit, type Loop } from "../loop.ts";
import { endRun, insertRun, openRuns, setBranch } from "../run-store.ts";
import { countsOf, graphState, tasksOfRun } from "./graph-state.ts";
import { exhausted, type StopReason } from "./stop-rules.ts";

/**
 * Writes the run down, unless another ralph works on this project: two agents in one working tree would judge each
 * other's edits. Looking and writing are one transaction, so of two that start at once one is refused.
 *
 * @throws RalphError `RALPH_RUN_ACTIVE` naming the process that holds the project.
 */
export async function acquireProject(loop: Loop): Promise<void> {
  const { options } = loop;
  const branch = await currentBranch(loop.workspace);
  await commit(loop, async (tx) => {
    await refuseSecondRun(tx, loop.owner);
    await insertRun(tx, {
      id: loop.runId,
      startedAt: loop.clock.now().toISOString(),
      agent: loop.agents[0].name,
      model: options.flagModel,
      strategy: options.strategy,
      session: options.session,
      branch,
      owner: loop.owner,
    });
  });
}

async function refuseSecondRun(tx: Tx, owner: Owner): Promise<void> {
  const other = (await openRuns(tx)).find((run) => run.owner.pid !== owner.pid && ownerIsAlive(run.owner));
  if (!other) return;
  const { pid, host } = other.owner;
  throw new RalphError(
    "RALPH_RUN_ACTIVE",
    `run ${other.id} is at work on this project since ${other.startedAt} (process ${pid} on ${host})`,
    { hint: "wait for it, or stop it with: ralph stop" },
  );
}

/** Lets go of a project that no iteration ran on: what stood in the way is told by the error that follows. */
export async function releaseProject(loop: Loop, reason: "refused" | "undo"): Promise<void> {
  const endedAt = loop.clock.now().toISOString();
  await commit(loop, (tx) => endRun(tx, { id: loop.runId, endedAt, reason, exitCode: null }));
}

/**
 * Tells the run's header, with the paths that a person changed since the last run. Returns how the tasks stand.
 */
export async function announceRun(loop: Loop, persons: readonly string[]): Promise<TaskCounts> {
  const { options } = loop;
  const [agent] = loop.agents;
  const branch = await currentBranch(loop.workspace);
  const verification = options.verify.map((command) => command.run);
  const warnings = [
    ...loop.agents
      .filter(({ permission }) => permission === "bypass")
      .map(({ name }) => `${name} skips all permission checks: it may do anything that you may (bypass)`),
    ...(verification.length === 0
      ? ["no verification is configured: done will be believed when something changed (unverified)"]
      : []),
    ...listed(persons),
  ];
  const tasks = await tasksOfRun(loop.db, options.only);
  const counts = countsOf(tasks);
  const data = {
    runId: loop.runId,
    agent: loop.agents.map(({ name }) => name).join(", "),
    model: options.flagModel,
    strategy: options.strategy,
    permission: agent.permission,
    isolation: loop.isolation,
    verification,
    branch,
    tasks: { ...counts },
    warnings,
  };
  await commit(loop, async (tx) => {
    const now = loop.clock.now();
    await setBranch(tx, loop.runId, branch);
    await recordStory(tx, loop, { type: "loop_start", totalStories: tasks.length }, now);
    await record(tx, { type: "run.started", runId: loop.runId, data }, now);
  });
  return counts;
}

const maxListed = 20;

function listed(persons: readonly string[]): readonly string[] {
  const more = persons.length - maxListed;
  return [
    ...persons
      .slice(0, maxListed)
      .map((path) => `${path} changed since the last run: it is yours and left alone`),
    ...(more > 0 ? [`${count(more, "more file")} changed since the last run and left alone`] : []),
  ];
}

interface ExhaustedReason {
  readonly reason: StopReason;
  readonly message: string | null;
  /** Null: that of the reason. */
  readonly hint: string | null;
}

/** Why no task is ready any more; what it waits for, where that was left out of the run. */
export async function exhaustedReason(loop: Loop): Promise<ExhaustedReason> {
  const tasks = await tasksOfRun(loop.db, loop.options.only);
  const reason = exhausted(graphState(tasks));
  const told = reason === "stuck" ? await isWaitingForOthers(loop, tasks) : null;
  return { reason, ...(told ?? { message: null, hint: null }) };
}

async function isWaitingForOthers(
  { db, options }: Loop,
  tasks: readonly Task[],
): Promise<Omit<ExhaustedReason, "reason"> | null> {
  const { only } = options;
  if (!only) return null;
  for (const task of tasks.filter(({ status }) => status === "pending")) {
    for (const id of await blockersOf(db, task.id)) {
      const blocker = await getTask(db, id);
      if (tasks.some((own) => own.id === id) || blocker?.status === "done") continue;
      const needsPerson = blocker?.status === "blocked" || blocker?.status === "failed";
      return {
        message: `${task.id} waits for ${id}, which this run was not asked for`,
        hint: needsPerson
          ? `ralph log ${id} shows what was tried; ralph task reset ${id} reopens it`
          : "ralph run without task ids works on all that is ready",
      };
    }
  }
  return null;
}
