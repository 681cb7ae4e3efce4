import { ownerIsAlive } from "../../agents/supervision.ts";
import { RalphError } from "../../base/errors.ts";
import { count } from "../../base/text.ts";
import { record } from "../../events/event-store.ts";
import type { TaskCounts } from "../../events/run-events.ts";
import { recordStory } from "../../events/story-events.ts";
import { formWarnings } from "../../outcome/verify.ts";
import type { Tx } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { blockersOf } from "../../tasks/graph/task-graph.ts";
import { getTask } from "../../tasks/graph/task-store.ts";
import { unknownItems } from "../../tasks/import-tasks.ts";
import { branchName } from "../../workspace/git/read-head.ts";
import { currentBranch } from "../../workspace/git/status.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { endRun, insertRun, runsHere, setBranch } from "../rows/run-store.ts";
import type { Landing } from "../rows/slot.ts";
import { unmergedBranches } from "../rows/unmerged-branch.ts";
import { unpublishedWarnings } from "./landing-branch.ts";
import { countsOf, graphState, reopening, tasksOfRun } from "./run-tasks.ts";
import { exhausted, type StopReason } from "./stop-rules.ts";

/**
 * Records the run, unless another run is active in this working copy: with two agents in one working tree, each would be judged
 * by the other's edits. Check and write are one transaction, so one of two simultaneous starts is refused.
 *
 * @throws RalphError `RALPH_RUN_ACTIVE` naming the process that holds the project.
 */
export async function acquireProject(
  loop: Holder & Pick<Loop, "agents" | "options" | "workspace">,
): Promise<void> {
  const { flagModel: model, strategy, session } = loop.options;
  const branch = await currentBranch(loop.workspace);
  await holdProject(loop, { agent: loop.agents[0].name, model, strategy, session, branch });
}

type Holder = Pick<Loop, "clock" | "db" | "log" | "owner" | "runId">;

/** Holds the project as `acquireProject` does, for work that starts no agent. */
export async function holdProject(
  { clock, db, log, owner, runId }: Holder,
  run: Omit<Parameters<typeof insertRun>[1], "id" | "startedAt" | "owner">,
): Promise<void> {
  await commit({ db, log }, async (tx) => {
    await refuseSecondRun(tx, owner);
    await insertRun(tx, { ...run, id: runId, startedAt: clock.now().toISOString(), owner });
  });
}

async function refuseSecondRun(tx: Tx, owner: Holder["owner"]): Promise<void> {
  const other = (await runsHere(tx)).find((run) => run.owner.pid !== owner.pid && ownerIsAlive(run.owner));
  if (!other) return;
  const { pid, host } = other.owner;
  throw new RalphError(
    "RALPH_RUN_ACTIVE",
    `another run is active in this project: ${other.id} since ${other.startedAt} (process ${pid} on ${host})`,
    { hint: "wait for it, or stop it with: ralph stop" },
  );
}

/** Ends a run that had no iteration. The error that the caller throws states why. */
export async function releaseProject(
  loop: Pick<Loop, "clock" | "db" | "log" | "runId">,
  reason: "refused" | "undo" | "skills",
): Promise<void> {
  const endedAt = loop.clock.now().toISOString();
  await commit(loop, (tx) => endRun(tx, { id: loop.runId, endedAt, reason, exitCode: null }));
}

/** Records the start of the run, with the paths that a user changed since the last run. Returns the task counts. */
export async function announceRun(
  loop: Loop,
  { userPaths, landing }: { readonly userPaths: readonly string[]; readonly landing: Landing | null },
): Promise<TaskCounts> {
  const { options } = loop;
  const [agent] = loop.agents;
  const branch = landing ? branchName(landing.branch) : await currentBranch(loop.workspace);
  const verification = options.verify.map((command) => command.run);
  const tasks = await tasksOfRun(loop.db, options.only);
  const open = tasks.filter(({ status }) => status !== "done");
  const commands = [...options.verify, ...open.flatMap((task) => task.verification)];
  const unmerged = (await unmergedBranches(loop)).filter((one) => !landing || one.branch !== branch);
  const warnings = [
    ...unmerged.map(({ message }) => message),
    ...(landing ? await unpublishedWarnings(loop, landing) : []),
    ...loop.agents
      .filter(({ permission }) => permission === "bypass")
      .map(({ name }) => `${name} skips all permission checks: it can do everything that you can (bypass)`),
    ...loop.agents.flatMap((one) => one.payment?.()?.warning ?? []),
    ...(verification.length === 0 ? unverifiedWarnings(tasks) : []),
    ...(await formWarnings(commands, loop.root)).values(),
    ...(branch === null && options.commit.enabled ? [detachedWarning] : []),
    ...changedPathWarnings(userPaths),
  ];
  const counts = countsOf(tasks);
  const data = {
    runId: loop.runId,
    agent: loop.agents.map(({ name }) => name).join(", "),
    model: options.flagModel,
    strategy: options.strategy,
    tiers: agent.tiers,
    permission: agent.permission,
    payment: agent.payment?.()?.by ?? null,
    isolation: loop.sandbox?.summary ?? "off",
    verification,
    branch,
    tasks: { ...counts },
    workers: options.workers,
    budgetUsd: options.limits.budgetUsd,
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

const detachedWarning =
  "HEAD is detached, so the commits will be on no branch: to keep them, run git switch -c NAME afterwards, or start with --branch NAME";

/** Warns of tasks without commands of their own, if the project has none. A parent is done by its children. */
function unverifiedWarnings(tasks: readonly Task[]): readonly string[] {
  const parents = new Set(tasks.map(({ parentId }) => parentId));
  const todo = tasks.filter(({ id, status }) => status !== "done" && !parents.has(id));
  const without = todo.filter((task) => task.verification.length === 0).length;
  if (without === 0) return [];
  return [
    without === todo.length
      ? "no verification is configured: a changed file is enough to count a task as done (unverified)"
      : `${without} of ${todo.length} tasks have no verification: a changed file is enough to count them as done (unverified)`,
  ];
}

const maxListed = 20;

function changedPathWarnings(userPaths: readonly string[]): readonly string[] {
  const more = userPaths.length - maxListed;
  return [
    ...userPaths
      .slice(0, maxListed)
      .map((path) => `${path} changed since the last run: it is yours and stays as it is`),
    ...(more > 0 ? [`${count(more, "more file")} changed since the last run and stay as they are`] : []),
  ];
}

interface ExhaustedReason {
  readonly reason: StopReason;
  readonly message: string | null;
  /** Null: the default hint of the reason. */
  readonly hint: string | null;
}

/** Returns why no task is ready, and the task outside this run that blocks one of its tasks. */
export async function exhaustedReason(
  loop: Pick<Loop, "adopted" | "db" | "options" | "projectRoot">,
): Promise<ExhaustedReason> {
  const tasks = await tasksOfRun(loop.db, loop.options.only);
  const reason = exhausted(graphState(tasks));
  const unread = reason === "done" && !loop.options.only ? await unreadItems(loop) : null;
  if (unread) return unread;
  const [waiting] = loop.adopted.waiting;
  if (reason === "stuck" && waiting !== undefined)
    return {
      reason,
      message: `${waiting} waits: its verification is not approved`,
      hint: "review with `ralph trust show`, then run `ralph trust approve` and `ralph run`",
    };
  const blocker = reason === "stuck" ? await blockedByOthers(loop, tasks) : null;
  return { reason, ...(blocker ?? { message: null, hint: null }) };
}

/** Returns the end of a run whose tasks are done and whose lists are not. */
async function unreadItems({
  db,
  projectRoot,
}: Pick<Loop, "db" | "projectRoot">): Promise<ExhaustedReason | null> {
  const [first] = await unknownItems(db, projectRoot);
  if (!first) return null;
  const { path, items, problem } = first;
  const has = `${path} has ${count(items, "open item")} not imported`;
  const message = problem ?? has;
  return { reason: "stuck", message, hint: `check ${path}, then run \`ralph task sync\`` };
}

async function blockedByOthers(
  { db, options }: Pick<Loop, "db" | "options">,
  tasks: readonly Task[],
): Promise<Omit<ExhaustedReason, "reason"> | null> {
  const { only } = options;
  if (!only) return null;
  for (const task of tasks.filter(({ status }) => status === "pending")) {
    for (const id of await blockersOf(db, task.id)) {
      const blocker = await getTask(db, id);
      if (tasks.some((own) => own.id === id) || blocker?.status === "done") continue;
      const needsUser = blocker?.status === "blocked" || blocker?.status === "failed";
      return {
        message: `${task.id} waits for ${id}, which is not part of this run`,
        hint: needsUser
          ? (await reopening(db, blocker)).hint
          : "run `ralph run` without task ids to include all ready tasks",
      };
    }
  }
  return null;
}
