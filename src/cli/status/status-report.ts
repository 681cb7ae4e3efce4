import { limitsOfPauses } from "../../agents/agent-limits.ts";
import { formatDuration } from "../../base/duration.ts";
import { joinSafe, type SafeText, safe } from "../../base/safe-text.ts";
import { clip, count } from "../../base/text.ts";
import { latestRun, type RunRow } from "../../loop/run-store.ts";
import { countedKinds, countMemory } from "../../memory/kinds.ts";
import { latestPauses } from "../../outcome/interruption-store.ts";
import type { Reader } from "../../store/db.ts";
import { nextTask } from "../../tasks/next-task.ts";
import type { TaskStatus } from "../../tasks/task.ts";
import { countTasks } from "../../tasks/task-store.ts";
import { storedJson, storedText } from "../../trust/stored-text.ts";
import { limitText } from "../../ui/limit-text.ts";
import { summarizeChanges } from "../../ui/list-changes.ts";
import type { Session } from "../shell/command.ts";

interface RunTally {
  readonly attempts: number;
  readonly done: number;
  readonly costUsd: number | null;
}

/** The output of `ralph status --json` (IF-3). */
export interface StatusFacts {
  readonly tasks: Readonly<Record<TaskStatus | "total", number>>;
  readonly run: (RunRow & { readonly active: boolean } & RunTally) | null;
  /** Counts by memory kind; `skills` is fixed by the format and 0 until they exist. */
  readonly memory: Readonly<Record<string, number>>;
  readonly hivemind: null;
  readonly agent: readonly string[];
  readonly next: { readonly id: string; readonly title: string } | null;
  /** Agents that are not called for now, the earliest end first. */
  readonly limits: readonly LimitFacts[];
  /** The imported lists that changed since their last import. */
  readonly lists: readonly ChangedList[];
}

/** An imported list with its changes. */
export interface ChangedList {
  readonly path: string;
  readonly changes: readonly {
    readonly kind: string;
    readonly id: string;
    readonly title: string;
    readonly was?: string;
  }[];
}

interface LimitFacts {
  readonly agent: string;
  readonly model: string | null;
  readonly kind: string;
  readonly until: string;
  readonly resetAt: string | null;
}

/** Reads the facts that `ralph status` shows; `agent` lists the configured agents. */
export async function statusFacts(db: Reader, agent: readonly string[]): Promise<StatusFacts> {
  const counts = await countTasks(db);
  const run = await latestRun(db);
  const next = await nextTask(db);
  return {
    tasks: { ...counts, total: Object.values(counts).reduce((sum, n) => sum + n, 0) },
    run: run
      ? { ...run, ...(await tallyOf(db, run.id)), active: run.endedAt === null && (await isAlive(run.owner)) }
      : null,
    memory: { ...(await countMemory(db)), skills: 0 },
    hivemind: null,
    agent,
    next: next ? { id: next.id, title: next.title } : null,
    limits: await limitFacts(db),
    lists: [],
  };
}

async function limitFacts(db: Reader): Promise<readonly LimitFacts[]> {
  const now = new Date();
  const limits = limitsOfPauses(await latestPauses(db, now.toISOString()), now);
  return limits.map((limit) => ({ ...limit, until: new Date(limit.until).toISOString() }));
}

/** Returns the totals of a run; `ralph log RUN` shows the full summary. */
async function tallyOf(db: Reader, runId: string): Promise<RunTally> {
  const row = await db.get<RunTally>(
    `SELECT COUNT(*) AS attempts, COALESCE(SUM(CASE WHEN outcome = 'done' THEN 1 ELSE 0 END), 0) AS done,
       SUM(cost_usd) AS "costUsd" FROM iteration_outcomes WHERE run_id = ?`,
    [runId],
  );
  return row ?? { attempts: 0, done: 0, costUsd: null };
}

/** Loads process supervision only for a run that has not ended, to keep start-up fast. */
async function isAlive(owner: RunRow["owner"]): Promise<boolean> {
  const { ownerIsAlive } = await import("../../agents/supervision.ts");
  return ownerIsAlive(owner);
}

export function reportStatus(session: Pick<Session, "json" | "out" | "note">, facts: StatusFacts): void {
  if (session.json) session.out(storedJson(facts));
  else printStatus(session, facts);
}

function printStatus(session: Pick<Session, "out" | "note">, facts: StatusFacts): void {
  const { tasks, run, memory, agent, next, limits, lists } = facts;
  const parts = (["done", "in_progress", "pending", "blocked", "failed"] as const)
    .filter((name) => tasks[name] > 0)
    .map((name) => safe`${tasks[name]} ${storedText(name.replace("_", " "))}`);
  session.out(safe`tasks    ${tasks.total === 0 ? safe`none yet` : joinSafe(parts, ", ")}`);
  if (run) session.out(safe`run      ${describeRun(run)}`);
  const stored = countedKinds.map(({ counted, label }) => count(memory[counted] ?? 0, label));
  session.out(safe`memory   ${storedText(stored.join(", "))}`);
  session.out(safe`agent    ${storedText(agent.join(", "))}`);
  for (const limit of limits) session.out(safe`limit    ${storedText(limitText(limit, new Date()))}`);
  for (const { path, changes } of lists)
    session.out(safe`list     ${storedText(path)} changed: ${summarizeChanges(changes)}`);
  if (next) session.out(safe`next     ${storedText(next.id)} ${clip(storedText(next.title), 100)}`);
  session.note(safe`hint: ${nextStep({ tasks, run, next, lists })}`);
}

function describeRun(run: NonNullable<StatusFacts["run"]>): SafeText {
  const iterations = count(run.iterations, "iteration");
  if (run.active) {
    const since = formatDuration(Date.now() - Date.parse(run.pausedAt ?? run.startedAt));
    return safe`${storedText(run.id)} ${activityOf(run)} for ${since} (process ${run.owner.pid}), ${iterations}`;
  }
  if (run.endedAt === null) return safe`${storedText(run.id)} was killed; run \`ralph run\` to recover it`;
  return storedText(
    `${run.id} ended ${run.endedAt}: ${run.stopReason}, ${iterations}; ${run.done} of ${count(run.attempts, "attempt")} done (ralph log ${run.id})`,
  );
}

function activityOf({ wish, pausedAt }: RunRow): SafeText {
  if (pausedAt !== null) return safe`paused`;
  if (wish === "pause") return safe`active, pausing after this iteration,`;
  return wish === null ? safe`active` : safe`active, stopping,`;
}

function nextStep({
  tasks,
  run,
  next,
  lists,
}: Pick<StatusFacts, "tasks" | "run" | "next" | "lists">): SafeText {
  if (tasks.total === 0) return safe`run \`ralph task import tasks.md\``;
  if (run?.active && run.wish === "pause")
    return safe`run \`ralph resume\` to continue, or \`ralph stop\` to stop the run`;
  if (run?.active)
    return safe`run \`ralph stop\` to stop the run, or \`ralph pause\` to pause it after this iteration`;
  if (lists.length > 0) return safe`run \`ralph task sync\` to adopt the changes, or \`ralph run\``;
  if (next) return safe`run \`ralph run\``;
  return tasks.done === tasks.total
    ? safe`all tasks are done`
    : safe`run \`ralph task list\` to see what is blocked and why`;
}
