import { eventsOfRun } from "../../events/event-store.ts";
import type { RunReport } from "../../events/run-summary.ts";
import { reportRun } from "../../memory/memory.ts";
import { runTotals } from "../../outcome/attempt-sums-store.ts";
import { doneWithoutChange } from "../../outcome/outcome.ts";
import { attemptsOfRun } from "../../outcome/outcome-store.ts";
import type { Reader } from "../../store/port/db.ts";
import { countAddedTasks, getTask } from "../../tasks/graph/task-store.ts";
import { endedIterations } from "./iteration-store.ts";
import { commitsOfRun } from "./pending-commit-store.ts";
import { runById } from "./run-store.ts";
import { savedInRun } from "./salvage-store.ts";

/** Returns the report of a run from the stored rows: while it runs, and as long as its attempts are stored (LOOP-17). */
export async function readRunReport(db: Reader, runId: string, until: Date): Promise<RunReport> {
  const { attempts, done, durationMs, byModel } = await runTotals(db, runId);
  const tried = await attemptsOfRun(db, runId);
  const run = await runById(db, runId);
  return {
    attempts,
    done,
    agentMs: durationMs,
    byModel: [...byModel.map((row) => ({ ...row })), ...(await asidesBy(db, runId))],
    tasks: await tasksTried(db, tried),
    unchanged: tried.flatMap(({ taskId, outcome, reason }) =>
      outcome === "done" && reason?.startsWith(doneWithoutChange)
        ? [{ taskId, why: reason.slice(doneWithoutChange.length) }]
        : [],
    ),
    added: run ? await countAddedTasks(db, run.startedAt, until.toISOString()) : 0,
    saved: await savedInRun(db, runId),
    interruptions: await interruptionsBy(db, runId, until),
    commits: (await commitsOfRun(db, runId)).map(({ taskId, hash, message }) => ({
      taskId,
      hash,
      subject: message.split("\n", 1)[0] ?? "",
    })),
    ...warningsOf(tried),
    memory: await reportRun(db, runId),
  };
}

/** Sessions beside those of tasks, by the event that states their cost. */
const asides = [
  ["review.finished", "review"],
  ["learning.selected", "memory"],
] as const;

/** Returns what reviews and choices of memory cost, a row for each of their models. */
async function asidesBy(db: Reader, runId: string): Promise<RunReport["byModel"]> {
  const rows = new Map<string, RunReport["byModel"][number]>();
  for (const [type, what] of asides) {
    for (const { data } of await eventsOfRun(db, runId, type)) {
      const { model = "unknown", costUsd = null } = JSON.parse(data) as AsideCost;
      const name = `${model} (${what})`;
      const before = rows.get(name)?.costUsd ?? null;
      const usd = costUsd === null ? before : (before ?? 0) + costUsd;
      const none = { attempts: 0, done: 0, estimatedUsd: 0, unpriced: 0, givenUpUsd: 0, durationMs: 0 };
      rows.set(name, { model: name, ...none, costUsd: usd });
    }
  }
  return [...rows.values()];
}

interface AsideCost {
  readonly model?: string;
  readonly costUsd?: number | null;
}

/** More would be a list that nobody reads; each attempt has its own in `ralph log`. */
const maxWarnings = 50;

type Tried = Awaited<ReturnType<typeof attemptsOfRun>>;

/** An equal warning of several attempts, such as what a hook that formats changed, is counted. */
function warningsOf(tried: Tried): Pick<RunReport, "warnings" | "moreWarnings"> {
  const counted = new Map<
    string,
    { readonly taskId: string; readonly attempt: number; readonly text: string; more?: number }
  >();
  for (const { taskId, attempt, warnings } of tried) {
    for (const text of new Set(warnings)) {
      const known = counted.get(text);
      if (known) known.more = (known.more ?? 0) + 1;
      else counted.set(text, { taskId, attempt, text });
    }
  }
  const all = [...counted.values()];
  return { warnings: all.slice(0, maxWarnings), moreWarnings: Math.max(0, all.length - maxWarnings) };
}

async function tasksTried(db: Reader, attempts: Tried): Promise<RunReport["tasks"]> {
  const tried = new Map<string, { attempts: number; done: boolean; durationMs: number }>();
  for (const { taskId, outcome, durationMs } of attempts) {
    const before = tried.get(taskId) ?? { attempts: 0, done: false, durationMs: 0 };
    tried.set(taskId, {
      attempts: before.attempts + 1,
      done: outcome === "done",
      durationMs: before.durationMs + durationMs,
    });
  }
  const tasks: RunReport["tasks"][number][] = [];
  for (const [id, facts] of tried) {
    const task = await getTask(db, id);
    tasks.push({ id, title: task?.title ?? "", status: task?.status ?? "gone", ...facts });
  }
  return tasks;
}

/** Returns the interruptions by kind, with the time until the run continued. */
async function interruptionsBy(db: Reader, runId: string, until: Date): Promise<RunReport["interruptions"]> {
  const iterations = await endedIterations(db, runId);
  const kinds = new Map<string, { times: number; waitedMs: number }>();
  for (const [at, { interruption, endedAt }] of iterations.entries()) {
    if (interruption === null) continue;
    const next = iterations[at + 1]?.startedAt ?? until.toISOString();
    const before = kinds.get(interruption) ?? { times: 0, waitedMs: 0 };
    const waitedMs = before.waitedMs + Math.max(0, Date.parse(next) - Date.parse(endedAt));
    kinds.set(interruption, { times: before.times + 1, waitedMs });
  }
  return [...kinds].map(([kind, facts]) => ({ kind, ...facts }));
}
