import { limitsOfPauses } from "../../../agents/agent-limits.ts";
import { joinSafe, type SafeText, safe } from "../../../base/safe-text.ts";
import { clip, count, wrapLine } from "../../../base/text.ts";
import type { SavedWork } from "../../../events/run-summary.ts";
import { landedBranches, latestRun, openRuns, type RunRow } from "../../../loop/rows/run-store.ts";
import { savedInRun } from "../../../loop/rows/salvage-store.ts";
import type { UnmergedBranch } from "../../../loop/rows/unmerged-branch.ts";
import { type HivemindStatus, hivemindStatus } from "../../../memory/hivemind-actions.ts";
import {
  type ContextStatus,
  contextStatus,
  countedKinds,
  countMemory,
  type JournalStatus,
  journalStatus,
} from "../../../memory/kinds.ts";
import { latestPauses } from "../../../outcome/interruption-store.ts";
import type { Reader } from "../../../store/port/db.ts";
import { nextTask } from "../../../tasks/graph/next-task.ts";
import type { TaskStatus } from "../../../tasks/graph/task.ts";
import { countTasks } from "../../../tasks/graph/task-store.ts";
import { needingPerson } from "../../../tasks/listed-tasks.ts";
import { storedJson, storedLine, storedText } from "../../../trust/stored-text.ts";
import { limitText } from "../../../ui/limit-text.ts";
import { summarizeChanges } from "../../../ui/list-changes.ts";
import { savedLines } from "../../../ui/saved-work.ts";
import { contextText, failedLast, journalText } from "../../project/health-lines.ts";
import type { Session } from "../../shell/command.ts";
import { hivemindLines } from "./hivemind-lines.ts";
import { describeActive, describeRun } from "./run-line.ts";
import { type CurrentWork, workingNow, workLines } from "./working-now.ts";

interface RunTally {
  readonly attempts: number;
  readonly done: number;
  readonly costUsd: number | null;
  /** The part of `costUsd` that the agent did not measure. */
  readonly estimatedUsd: number;
}

/** The output of `ralph status --json` (IF-3). */
export interface StatusFacts {
  readonly tasks: Readonly<Record<TaskStatus | "total", number>>;
  readonly run:
    | (RunRow & {
        readonly active: boolean;
        readonly current: CurrentWork | null;
        readonly working: readonly CurrentWork[];
      } & RunTally)
    | null;
  /** The other active runs, where several machines share the store. */
  readonly others?: readonly RunRow[];
  /** Counts by memory kind; `skills` is fixed by the format and 0 until they exist. */
  readonly memory: Readonly<Record<string, number>>;
  /** The memory that projects share; null: it is off. */
  readonly hivemind: HivemindStatus | null;
  readonly structuredContext: ContextStatus;
  readonly journal: JournalStatus;
  readonly agent: readonly string[];
  readonly next: { readonly id: string; readonly title: string } | null;
  /** Files that left the tree with unfinished work in the last run and are not back. */
  readonly saved: readonly SavedWork[];
  /** The first tasks that need a person. */
  readonly needs: Awaited<ReturnType<typeof needingPerson>>;
  /** The branches where work landed, with commits that HEAD does not have, the newest first. */
  readonly unmerged: readonly UnmergedBranch[];
  /** Agents that are not called for now, the earliest end first. */
  readonly limits: readonly LimitFacts[];
  /** The imported lists that changed since their last import, or in which finished tasks are not ticked. */
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
  /** Finished tasks whose item is open. */
  readonly unticked: readonly { readonly id: string; readonly title: string }[];
}

interface LimitFacts {
  readonly agent: string;
  readonly model: string | null;
  readonly kind: string;
  readonly until: string;
  readonly resetAt: string | null;
}

interface StatusRequest {
  readonly agent: readonly string[];
  readonly root: string;
  readonly hivemind: string | null;
  /** The folder of the project's journals. */
  readonly journals: string;
  /** Redacts and shortens an agent's own text, as stepText does; quick-status.ts loads it only when there is some. */
  readonly stepText: (step: string, root: string) => SafeText | Promise<SafeText>;
}

/** Reads the facts that `ralph status` shows. */
export async function statusFacts(
  db: Reader,
  { agent, root, hivemind, journals, stepText }: StatusRequest,
): Promise<StatusFacts> {
  const counts = await countTasks(db);
  const run = await latestRun(db);
  const next = await nextTask(db);
  return {
    tasks: { ...counts, total: Object.values(counts).reduce((sum, n) => sum + n, 0) },
    run: run ? await runFacts(db, run, { root, stepText }) : null,
    ...(db.dialect.place === "" ? {} : { others: await othersThan(db, run?.id) }),
    memory: await countMemory(db),
    hivemind: hivemind === null ? null : await hivemindStatus(db, hivemind),
    structuredContext: await contextStatus(db),
    journal: await journalStatus(db, journals),
    agent,
    next: next ? { id: next.id, title: next.title } : null,
    saved: run ? await savedInRun(db, run.id) : [],
    needs: counts.blocked + counts.failed === 0 ? [] : await needingPerson(db, 3),
    unmerged: await unmergedOf(db, root),
    limits: await limitFacts(db),
    lists: [],
  };
}

/** Loads git only after a run that may have landed elsewhere, to keep start-up fast. */
async function unmergedOf(db: Reader, root: string): Promise<readonly UnmergedBranch[]> {
  return (await landedBranches(db)).length === 0
    ? []
    : (await import("./unmerged-work.ts")).readUnmerged(db, root);
}

type Shown = Pick<StatusRequest, "root" | "stepText">;

async function runFacts(db: Reader, run: RunRow, shown: Shown): Promise<NonNullable<StatusFacts["run"]>> {
  const active = run.endedAt === null && (await isAlive(run));
  const working = active ? await workingNow(db, run.id, shown) : [];
  return { ...run, ...(await tallyOf(db, run.id)), active, current: working[0] ?? null, working };
}

async function othersThan(db: Reader, id: string | undefined): Promise<readonly RunRow[]> {
  return (await openRuns(db)).filter((run) => run.id !== id && !run.isSilent);
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
       SUM(cost_usd) AS "costUsd",
       COALESCE(SUM(CASE WHEN cost_source IN ('price-table', 'guessed') THEN cost_usd END), 0) AS "estimatedUsd" FROM iteration_outcomes WHERE run_id = ?`,
    [runId],
  );
  return row ?? { attempts: 0, done: 0, costUsd: null, estimatedUsd: 0 };
}

/** Loads process supervision only for a run that has not ended, to keep start-up fast. */
async function isAlive(run: RunRow): Promise<boolean> {
  return (await import("../../../loop/rows/live-runs.ts")).runIsAlive(run);
}

/** The place where the status is printed; nothing is wrapped without a screen. */
type Outlet = Pick<Session, "out" | "note"> & Partial<Pick<Session, "screen">>;

/** `all`: prints the health of hivemind, context and journals too while it is good. */
export function reportStatus(
  session: Outlet & Pick<Session, "json">,
  facts: StatusFacts,
  { all }: { readonly all: boolean },
): void {
  if (session.json) session.out(storedJson(facts));
  else printStatus(session, facts, all);
}

function widthOf({ screen }: Outlet): number {
  return screen?.outIsTerminal ? screen.columns : Number.POSITIVE_INFINITY;
}

function printStatus(session: Outlet, facts: StatusFacts, all: boolean): void {
  const { tasks, run, memory, agent, limits, lists } = facts;
  const parts = (["done", "in_progress", "pending", "blocked", "failed"] as const)
    .filter((name) => tasks[name] > 0)
    .map((name) => safe`${tasks[name]} ${storedText(name.replace("_", " "))}`);
  session.out(safe`tasks    ${tasks.total === 0 ? safe`none yet` : joinSafe(parts, ", ")}`);
  if (run) session.out(safe`run      ${describeRun(run)}`);
  for (const other of facts.others ?? []) session.out(safe`run      ${describeActive(other)}`);
  const stored = countedKinds.map(({ counted, label }) => count(memory[counted] ?? 0, label));
  for (const [at, work] of (run?.working ?? []).entries())
    for (const line of workLines(work, facts, at)) session.out(line);
  for (const { message } of facts.unmerged) session.out(safe`branch   ${storedText(message)}`);
  session.out(safe`memory   ${storedText(stored.join(", "))}`);
  for (const line of healthLines(session, facts, all)) session.out(line);
  session.out(safe`agent    ${storedText(agent.join(", "))}`);
  for (const limit of limits) session.out(safe`limit    ${storedText(limitText(limit, new Date()))}`);
  for (const list of lists) for (const line of listLines(list, facts)) session.out(line);
  for (const line of [...nextLines(facts), ...needsLines(facts, widthOf(session))]) session.out(line);
  session.note(safe`hint: ${nextStep(facts)}`);
}

function needsLines({ needs, saved, tasks }: StatusFacts, width: number): readonly SafeText[] {
  const more = tasks.blocked + tasks.failed - needs.length;
  const lines = [
    ...needs.map(({ id, reason }) => safe`needs    ${storedText(id)}: ${storedLine(reason, 400)}`),
    ...(needs.length > 0 && more > 0 ? [safe`         … and ${more} more: ralph task list`] : []),
    ...saved.slice(0, 3).flatMap((work) => {
      const [what, command] = savedLines(work);
      return [safe`saved    ${what}`, safe`         ${command}`];
    }),
  ];
  return lines.flatMap((line) => wrapLine(line, width, "needs    ".length));
}

function healthLines(session: Outlet, facts: StatusFacts, all: boolean): readonly SafeText[] {
  const { hivemind, structuredContext, journal } = facts;
  const shared =
    hivemind && (all || hivemind.problem !== null || failedLast(hivemind))
      ? hivemindLines(hivemind, widthOf(session))
      : [];
  const context = all || failedLast(structuredContext) ? contextText(structuredContext) : "";
  const journals = all || failedLast(journal) ? journalText(journal) : "";
  return [
    ...shared,
    ...(context === "" ? [] : [safe`context  ${context}`]),
    ...(journals === "" ? [] : [safe`journal  ${journals}`]),
  ];
}

/** A task whose commit is on an unmerged branch is ticked there. */
function listLines({ path, changes, unticked }: ChangedList, { unmerged }: StatusFacts): readonly SafeText[] {
  const names = unticked.map(({ id, title }) => `${id} ${title}`).join("; ");
  return [
    ...(changes.length > 0 ? [safe`list     ${storedText(path)} changed: ${summarizeChanges(changes)}`] : []),
    ...(unticked.length > 0 && unmerged.length === 0
      ? [
          safe`list     ${storedText(path)}: ${count(unticked.length, "finished task")} not ticked: ${clip(storedText(names), 150)}`,
        ]
      : []),
  ];
}

/** Names the next task, unless a run was killed: its own task comes first then. */
function nextLines({ next, run }: StatusFacts): readonly SafeText[] {
  const wasKilled = run !== null && !run.active && run.endedAt === null;
  if (!next || wasKilled) return [];
  return [safe`next     ${storedText(next.id)} ${clip(storedText(next.title), 100)}`];
}

function nextStep({ tasks, run, next, lists, unmerged }: StatusFacts): SafeText {
  if (tasks.total === 0) return safe`run \`ralph task import tasks.md\``;
  if (run?.active && run.control === "pause")
    return safe`run \`ralph resume\` to continue, or \`ralph stop\` to stop the run`;
  if (run?.active)
    return safe`run \`ralph stop\` to stop the run, or \`ralph pause\` to pause it after this iteration`;
  if (lists.some(({ changes }) => changes.length > 0))
    return safe`run \`ralph task sync\` to adopt the changes, or \`ralph run\``;
  if (next) return safe`run \`ralph run\``;
  const [landed] = unmerged;
  if (landed) return safe`run \`${storedText(landed.take)}\` to take the work that landed`;
  const [unticked] = lists.flatMap((list) => list.unticked);
  if (unticked)
    return safe`run \`ralph task retry ${storedText(unticked.id)}\` to do it again, or tick its item`;
  return tasks.done === tasks.total
    ? safe`all tasks are done`
    : safe`run \`ralph task list\` to see what is blocked and why`;
}
