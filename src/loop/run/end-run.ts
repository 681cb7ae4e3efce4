import { formatDuration } from "../../base/duration.ts";
import { RalphError } from "../../base/errors.ts";
import { count, oneLine } from "../../base/text.ts";
import { record } from "../../events/event-store.ts";
import type { RunEvents, TaskCounts } from "../../events/run-events.ts";
import { recordStory } from "../../events/story-events.ts";
import type { Tx } from "../../store/port/db.ts";
import type { Task } from "../../tasks/graph/task.ts";
import { unknownItems } from "../../tasks/import-tasks.ts";
import { commit, type Loop } from "../rows/loop.ts";
import { pendingCommits } from "../rows/pending-commit-store.ts";
import { readRunReport } from "../rows/run-report.ts";
import { endRun, runById } from "../rows/run-store.ts";
import { unmergedBranches } from "../rows/unmerged-branch.ts";
import { countsOf, graphState, reopening, tasksOfRun, waitingTasks } from "./run-tasks.ts";
import { exitCodeFor, type StopReason } from "./stop-rules.ts";

interface RunFacts {
  /** The branch on which workers landed; null: the run worked in the project's own tree. */
  readonly landedOn: string | null;
  readonly reason: StopReason;
  readonly message: string | null;
  readonly hint: string | null;
  readonly iterations: number;
  readonly costUsd: number | null;
  readonly durationMs: number;
  /** The error that ended the run; null: none. */
  readonly fault: unknown;
}

/** The end of a run: the fields of its last event. */
export type RunEnd = RunEvents["run.finished"];

type Finisher = Pick<
  Loop,
  "clock" | "db" | "log" | "options" | "projectRoot" | "runId" | "stop" | "workspace"
>;

/** Records the run's end: reason, task counts, cost, learnings, and the tasks that need a user. */
export async function finishRun(loop: Finisher, ended: RunFacts): Promise<RunEnd> {
  // As `ralph status` states them.
  const iterations = (await runById(loop.db, loop.runId))?.iterations ?? ended.iterations;
  const facts = { ...ended, iterations };
  const tasks = await tasksOfRun(loop.db, loop.options.only);
  const counts = countsOf(tasks);
  const halted = tasks.filter((task) => task.status === "blocked" || task.status === "failed");
  const needs = halted.map(({ id, title, statusReason }) => ({
    id,
    title,
    reason: statusReason ?? "no reason given",
  }));
  // Whoever stops a run does not wait for this, and no file that cannot be read breaks its end.
  const all = loop.stop.aborted ? [] : await unknownItems(loop.db, loop.projectRoot).catch(() => []);
  const unknown = all.filter(({ items }) => items > 0);
  const first = halted[0];
  const { next, hint } =
    first && facts.reason !== "baseline-failed"
      ? await reopening(loop.db, first)
      : nextStep(facts, counts, loop.options.only);
  const end: RunEnd = {
    reason: facts.reason,
    exitCode:
      facts.reason === "error" ? faultCode(facts.fault) : exitCodeFor(facts.reason, graphState(tasks)),
    tasks: counts,
    iterations: facts.iterations,
    costUsd: facts.costUsd,
    durationMs: facts.durationMs,
    summary: summaryOf(facts, counts, loop.options.only !== null),
    hint: facts.hint ?? hint,
    needs,
    waiting: await waitingTasks(
      loop.db,
      tasks,
      needs.map(({ id }) => id),
    ),
    ...(unknown.length > 0 ? { notImported: unknown.map(({ path, items }) => ({ path, items })) } : {}),
    ...(facts.landedOn === null ? {} : { landedOn: facts.landedOn, ...(await takeOf(loop, facts.landedOn)) }),
    next,
    report: await readRunReport(loop.db, loop.runId, loop.clock.now()),
  };
  await commit(loop, async (tx) => {
    const now = loop.clock.now();
    const { reason, exitCode } = end;
    await endRun(tx, { id: loop.runId, endedAt: now.toISOString(), reason, exitCode });
    await recordLoopEnd(tx, loop, { end, tasks, facts }, now);
    // Plain JSON by its types.
    const data = JSON.parse(JSON.stringify(end));
    await record(tx, { type: "run.finished", runId: loop.runId, data }, now);
  });
  // The caller stops listening then.
  await loop.log.flush();
  return end;
}

/** Publishes the end of a run whose store can no longer be written, from what the run itself knows. */
export async function publishUnrecordedEnd(
  loop: Pick<Loop, "log" | "runId">,
  facts: RunFacts,
  lastKnown: TaskCounts,
): Promise<RunEnd> {
  // Published events wait for a scheduled flush, and the caller stops listening before that.
  await loop.log.flush();
  const { reason, iterations, costUsd, durationMs, fault } = facts;
  const end: RunEnd = {
    reason,
    exitCode: faultCode(fault),
    tasks: lastKnown,
    iterations,
    costUsd,
    durationMs,
    summary: summaryOf(facts, lastKnown, false),
    hint: facts.hint ?? "ralph doctor",
    needs: [],
    waiting: [],
    next: "ralph doctor",
    report: null,
  };
  loop.log.publish({ type: "run.finished", runId: loop.runId, data: JSON.parse(JSON.stringify(end)) });
  return end;
}

/** 5: the environment; 70: a bug in ralph. */
function faultCode(fault: unknown): 5 | 70 {
  return fault instanceof RalphError ? 5 : 70;
}

const reasonsWithEvent: ReadonlySet<StopReason> = new Set([
  "done",
  "failed",
  "stuck",
  "max-iterations",
  "budget",
  "max-duration",
]);
/** The maximum number of results in one line of the log. */
const maxResults = 1000;

interface LoopEnd {
  readonly end: RunEnd;
  readonly tasks: readonly Task[];
  readonly facts: RunFacts;
}

async function recordLoopEnd(
  tx: Tx,
  loop: Finisher,
  { end, tasks, facts }: LoopEnd,
  now: Date,
): Promise<void> {
  const tried = end.report?.tasks ?? [];
  const storiesCompleted = tried.filter(({ done }) => done).length;
  if (reasonsWithEvent.has(facts.reason)) {
    const results = tried.slice(0, maxResults).map(({ id, title, done, durationMs }) => ({
      storyId: id,
      storyTitle: title,
      success: done,
      duration: durationMs,
    }));
    const totals = { storiesCompleted, totalStories: tasks.length, duration: facts.durationMs };
    return recordStory(tx, loop, { type: "loop_complete", ...totals, results }, now);
  }
  // An attempt whose commit is pending is not recorded yet.
  const [pending] = await pendingCommits(tx);
  const last = pending ? { id: pending.taskId, title: pending.story.title } : tried.at(-1);
  const lastStory = last ? { id: last.id, title: last.title } : null;
  await recordStory(tx, loop, { type: "loop_error", error: end.summary, storiesCompleted, lastStory }, now);
}

const reasons: Readonly<Record<Exclude<StopReason, "failed">, string>> = {
  done: "all tasks are done",
  stuck: "stuck: the remaining tasks need a person",
  "max-iterations": "stopped at --max-iterations",
  budget: "stopped at --budget-usd",
  "max-duration": "stopped at --max-duration",
  stopped: "stopped by request",
  "agent-unavailable": "stopped: the agent cannot be reached",
  auth: "stopped: the agent is not logged in",
  credit: "stopped: the agent's account is out of credit",
  not_found: "stopped: the agent or its model is missing",
  permission: "stopped: the agent refused to run with these permissions",
  unusable: "stopped: the agent cannot work as it is set up",
  "cannot-verify": "stopped: a verification command cannot be executed",
  "baseline-failed": "stopped: verification fails without any attempt's changes",
  git: "stopped: git is not usable here",
  "commit-failed": "stopped: git could not commit verified work",
  error: "stopped by an error",
};

function summaryOf(facts: RunFacts, tasks: TaskCounts, isPart: boolean): string {
  const left = tasks.pending + tasks.blocked + tasks.failed;
  const tally = left === 0 ? `${tasks.done} done` : `${tasks.done} done, ${left} left`;
  const why = facts.message ? `: ${oneLine(facts.message)}` : "";
  const took = `${count(facts.iterations, "iteration")} in ${formatDuration(facts.durationMs)}`;
  const ended = facts.reason === "done" && isPart ? "the named tasks are done" : null;
  const reason = facts.reason === "failed" ? failureText(tasks) : (ended ?? reasons[facts.reason]);
  return `${reason}${why} — ${tally} (${took})`;
}

/** Where a run ends because tasks failed, what is blocked depends on them. */
function failureText({ failed, blocked }: TaskCounts): string {
  const what = `${count(failed, "task")} failed`;
  if (blocked === 0) return what;
  return `${what}; ${count(blocked, "task")} ${blocked === 1 ? "depends" : "depend"} on ${failed === 1 ? "it" : "them"}`;
}

interface NextStep {
  readonly next: string | null;
  readonly hint: string | null;
}

function nextStep(
  { reason, iterations }: RunFacts,
  tasks: TaskCounts,
  only: readonly string[] | null,
): NextStep {
  if (reason === "done" && iterations === 0 && only?.[0] !== undefined)
    return { next: null, hint: `to do it again: ralph task retry ${only[0]}` };
  const isOver = reason === "done" || tasks.pending === 0;
  const next = reason === "baseline-failed" ? "ralph verify" : isOver ? null : "ralph run";
  return { next, hint: next && `run \`${next}\` to continue` };
}

/** Returns the command that takes what landed on the branch. */
async function takeOf(loop: Finisher, branch: string): Promise<Pick<RunEnd, "take">> {
  const found = (await unmergedBranches(loop).catch(() => [])).find((one) => one.branch === branch);
  return found ? { take: found.take } : {};
}
