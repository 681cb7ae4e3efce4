import { type SafeText, safe } from "../../base/safe-text.ts";
import { recentRuns } from "../../loop/rows/run-store.ts";
import { type LearningView, learningLift, openLearningActions } from "../../memory/learning-actions.ts";
import { runTotals } from "../../outcome/attempt-sums-store.ts";
import type { Reader } from "../../store/port/db.ts";
import type { TaskLine } from "../../tasks/graph/task.ts";
import { blockersByTask } from "../../tasks/graph/task-graph.ts";
import { countTasks, listTaskLines } from "../../tasks/graph/task-store.ts";
import { storedLine, storedText } from "../../trust/stored-text.ts";
import { actionOn } from "../../view/actions.ts";
import type { MemoryLine, PastRun, TaskNode, WholeModel } from "../../view/model.ts";
import type { Project, Session } from "../shell/command.ts";
import { openView, type View } from "./open-view.ts";

const maxTasks = 300;
const maxRuns = 20;
/** How many learnings of each kind are listed: what waits for a person, what helped, what is new, what was archived. */
const listed = [
  [{ status: ["quarantined"] }, 20],
  [{ status: ["active"], helpful: true }, 50],
  [{ status: ["active"] }, 50],
  [{ status: ["stale"] }, 10],
  [{ status: ["pruned"] }, 10],
] as const;

/** Opens a run's model with what only the page and the report show; `runId` null: the latest run. */
export function openWholeView(session: Session, project: Project, runId: string | null = null): View {
  return openView(session, project, { runId, whole: () => readWhole(session, project) });
}

/** Reads what only the page and the report show: tasks, memory, its benefit and earlier runs. */
export async function readWhole(session: Pick<Session, "clock">, { db, root }: Project): Promise<WholeModel> {
  const learnings = openLearningActions({ db, root, now: () => session.clock.now() });
  const memories = new Map<string, MemoryLine>();
  for (const [filter, limit] of listed)
    for (const one of await learnings.list({ ...filter, limit })) memories.set(one.id, memoryLine(one));
  const { total, tasks } = await shownTasks(db);
  return {
    tasks: await treeOf(db, tasks),
    moreTasks: total - tasks.length,
    memories: [...memories.values()].sort(byUse),
    memoryCount: await learnings.count({ status: ["active", "stale", "quarantined"] }),
    lift: liftText(await learningLift(db)),
    history: await historyOf(db, session.clock.now()),
  };
}

/** Reads all tasks, or of very many the first that are not done. */
async function shownTasks(
  db: Reader,
): Promise<{ readonly total: number; readonly tasks: readonly TaskLine[] }> {
  const counts = await countTasks(db);
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  if (total <= maxTasks) return { total, tasks: await listTaskLines(db) };
  const open: TaskLine[] = [];
  for (const status of ["in_progress", "failed", "blocked", "pending"] as const)
    open.push(...(await listTaskLines(db, { status, limit: maxTasks - open.length })));
  return { total, tasks: open };
}

function byUse(a: MemoryLine, b: MemoryLine): number {
  const isArchived = ({ status }: MemoryLine): number => (status === "pruned" ? 1 : 0);
  return isArchived(a) - isArchived(b) || b.helped - a.helped || b.passed - a.passed;
}

/** Returns a learning as the page shows it, with what a person can do about it. */
export function memoryLine(learning: LearningView): MemoryLine {
  const { lesson, status, provenance, proven } = learning;
  const { timesShown: shown, shownPassed: passed, saidHelpful: helped } = learning;
  const id = storedText(learning.id);
  const from = [provenance.source, provenance.task, provenance.origin].filter((part) => part !== null);
  const isArchived = status !== "active" && status !== "stale" && status !== "quarantined";
  return {
    ...{ id, text: storedLine(lesson, 300), status: storedText(status) },
    ...{ shown, passed, helped, verdict: null, proven },
    origin: storedLine(from.join(" "), 200),
    actions: isArchived
      ? [actionOn("restore", id)]
      : [
          ...(status === "quarantined" || !proven ? [actionOn("approve", id)] : []),
          actionOn("edit", id),
          actionOn("forget", id),
        ],
  };
}

function liftText(lift: Awaited<ReturnType<typeof learningLift>>): SafeText {
  const { enough, difference, least, with: shown, without } = lift;
  const trials = Math.min(shown.attempts, without.attempts);
  if (!enough || difference === null)
    return safe`lift: not enough: ${trials} of ${least} trials (${shown.attempts} with memory, ${without.attempts} without)`;
  const percent = (share: number) =>
    storedText(`${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(1)}`);
  const { value, interval } = difference;
  return safe`lift: ${percent(value)} points (95%: ${percent(interval.low)} to ${percent(interval.high)})`;
}

/** Orders tasks as a tree, parents first, in the order in which they run. */
async function treeOf(db: Reader, tasks: readonly TaskLine[]): Promise<readonly TaskNode[]> {
  const known = new Set(tasks.map(({ id }) => id));
  const children = new Map<string | null, TaskLine[]>();
  for (const task of tasks) {
    const parent = task.parentId !== null && known.has(task.parentId) ? task.parentId : null;
    const list = children.get(parent);
    if (list) list.push(task);
    else children.set(parent, [task]);
  }
  const open = new Set(tasks.flatMap(({ id, status }) => (status === "done" ? [] : [id])));
  const blockers = await blockersByTask(db);
  const nodes: TaskNode[] = [];
  const add = (parent: string | null, depth: number): void => {
    for (const { id, title, status, statusReason } of children.get(parent) ?? []) {
      const names = {
        id: storedText(id),
        title: storedLine(title, 200),
        reason: storedLine(statusReason ?? "", 200),
      };
      const waits = open.has(id) ? blockers(id).filter((one) => open.has(one)) : [];
      const waitsFor = waits.slice(0, 20).map((one) => storedText(one));
      nodes.push({ ...names, status, depth: Math.min(depth, 3), waitsFor });
      add(id, depth + 1);
    }
  };
  add(null, 0);
  return nodes;
}

async function historyOf(db: Reader, now: Date): Promise<readonly PastRun[]> {
  const runs: PastRun[] = [];
  for (const { id, session, machine, startedAt, endedAt, stopReason } of await recentRuns(db, maxRuns)) {
    const name = [session ?? "", machine === undefined ? "" : `on ${machine}`].filter(Boolean).join(" ");
    const { attempts, done, costUsd } = await runTotals(db, id);
    const end = endedAt === null ? now.getTime() : Date.parse(endedAt);
    runs.push({
      ...{ id: storedText(id), name: storedLine(name, 120), startedAt, attempts, done, costUsd },
      durationMs: Math.max(0, end - Date.parse(startedAt)),
      reason: storedLine(stopReason ?? "not ended", 100),
    });
  }
  return runs;
}
