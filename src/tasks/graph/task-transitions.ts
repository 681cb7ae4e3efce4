import { RalphError } from "../../base/errors.ts";
import { safe } from "../../base/safe-text.ts";
import { count, oneLine } from "../../base/text.ts";
import { record } from "../../events/event-store.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { columnText } from "../../trust/safe-text.ts";
import { changeStatus } from "./change-status.ts";
import { claimedTask, dropAnyClaim, dropClaim } from "./claim-store.ts";
import { effectsOfCompletion } from "./completion-effects.ts";
import { readyAmong } from "./next-task.ts";
import { settleBlocks } from "./settle-blocks.ts";
import type { SplitPart } from "./split-proposal.ts";
import type { BlockCause, Claim, Task } from "./task.ts";
import { changeLogLines, loggedReasons } from "./task-log-store.ts";
import { createTask, firstPosition, getTask, moveTasks, requireTask, updateTask } from "./task-store.ts";
import { withoutReasons } from "./without-reasons.ts";

/** The effects of completing a task. */
export interface Completion {
  /** The task, then the parents that its completion completed. */
  readonly completed: readonly Task[];
  /** Tasks that became ready. */
  readonly unblocked: readonly Task[];
}

/**
 * Completes a claimed task and the parents that wait for nothing else. Returns undefined, and writes nothing, for a
 * stale token. A task that has unfinished children returns to `pending` to wait for them; nothing is completed then.
 */
export async function completeTask(tx: Tx, claim: Claim, now: Date): Promise<Completion | undefined> {
  const runId = await dropClaim(tx, claim);
  if (runId === undefined) return undefined;
  const id = claim.taskId;
  if ((await unfinishedChildren(tx, id)).length > 0) {
    const reason = safe`its own work is done; waiting for its children`;
    await changeStatus(tx, { id, status: "pending", reason, type: "task.released", runId }, now);
    return { completed: [], unblocked: [] };
  }
  return complete(tx, id, runId, now);
}

/**
 * Returns the tasks that `completeTask` would complete, without completing them. Returns undefined for a stale token.
 */
export async function previewCompletion(
  q: Reader,
  { taskId, token }: Claim,
): Promise<readonly Task[] | undefined> {
  const claimed = await claimedTask(q, { taskId, token });
  if (!claimed) return undefined;
  if (claimed.waits) return [];
  return [claimed.task, ...(await effectsOfCompletion(q, taskId)).parents];
}

/** Returns a claimed task to `pending` with a reason (null: none). Returns undefined for a stale token. */
export async function returnTask(
  tx: Tx,
  claim: Claim,
  why: { readonly reason: string | null },
  now: Date,
): Promise<Task | undefined> {
  const runId = await dropClaim(tx, claim);
  if (runId === undefined) return undefined;
  const reason = why.reason === null ? null : columnText(why.reason);
  return changeStatus(tx, { id: claim.taskId, status: "pending", reason, type: "task.released", runId }, now);
}

/**
 * Blocks a task until a person, its file or something missing unblocks it. Given a claim, returns undefined for a stale
 * token. Given an id, deletes any claim of the task. Dependents stay pending and are not ready.
 */
export async function blockTask(
  tx: Tx,
  task: string | Claim,
  why: { readonly cause: BlockCause; readonly reason: string },
  now: Date,
): Promise<Task | undefined> {
  let runId: string | null = null;
  if (typeof task === "string") {
    await requireTask(tx, task);
    await dropAnyClaim(tx, task);
  } else {
    const holder = await dropClaim(tx, task);
    if (holder === undefined) return undefined;
    runId = holder;
  }
  const id = typeof task === "string" ? task : task.taskId;
  const { cause, reason } = { ...why, reason: columnText(why.reason) };
  return changeStatus(tx, { id, status: "blocked", cause, reason, type: "task.blocked", runId }, now);
}

/** Marks a task as failed on a person's decision and blocks its dependents and parents with the reason. */
export async function failTask(
  tx: Tx,
  id: string,
  why: string,
  now: Date,
): Promise<{ readonly task: Task; readonly blocked: readonly Task[] }> {
  await requireTask(tx, id);
  await dropAnyClaim(tx, id);
  const reason = columnText(why);
  const task = await changeStatus(tx, { id, status: "failed", reason, type: "task.failed" }, now);
  const { blocked } = await settleBlocks(tx, now);
  return { task, blocked };
}

/**
 * Returns a task in any state to `pending` and stops counting its attempts up to `attemptsBefore`. Reopens its done
 * parents and the tasks that were blocked only by it. If something else blocks the task, the returned `task` is blocked.
 */
export async function resetTask(
  tx: Tx,
  id: string,
  now: Date,
  attemptsBefore: number,
): Promise<{ readonly task: Task; readonly reopened: readonly Task[] }> {
  const { parentId } = await requireTask(tx, id);
  await dropAnyClaim(tx, id);
  await changeStatus(tx, { id, status: "pending", type: "task.reset", also: { attemptsBefore } }, now);
  const reopened: Task[] = [];
  let parent = parentId === null ? undefined : await getTask(tx, parentId);
  while (parent?.status === "done") {
    reopened.push(await changeStatus(tx, { id: parent.id, status: "pending", type: "task.reset" }, now));
    parent = parent.parentId === null ? undefined : await getTask(tx, parent.parentId);
  }
  const settled = await settleBlocks(tx, now);
  return { task: await requireTask(tx, id), reopened: [...reopened, ...settled.reopened] };
}

/** Reopens a task as `resetTask` does, and puts it before all other tasks. */
export async function retryTask(
  tx: Tx,
  id: string,
  now: Date,
  attemptsBefore: number,
): Promise<{ readonly task: Task; readonly reopened: readonly Task[] }> {
  const { createdAt } = await requireTask(tx, id);
  await moveTasks(tx, [{ id, createdAt, position: await firstPosition(tx) }], now);
  return resetTask(tx, id, now, attemptsBefore);
}

/**
 * Marks a task as done on a person's decision, without a claim or verification. Throws RALPH_TASK_HAS_CHILDREN when it
 * has unfinished children.
 */
export async function markDone(tx: Tx, id: string, now: Date): Promise<Completion> {
  await requireTask(tx, id);
  const children = await unfinishedChildren(tx, id);
  if (children.length > 0) {
    const open = count(children.length, "child", "children");
    throw new RalphError(
      "RALPH_TASK_HAS_CHILDREN",
      `Task ${id} cannot be marked as done: ${open} not finished, first ${children[0]}.`,
      {
        hint: `finish its children first; run \`ralph task tree ${id}\` to see them`,
      },
    );
  }
  await dropAnyClaim(tx, id);
  return complete(tx, id, null, now);
}

/**
 * Adds children to a task, in this order, with its priority, tags and files, but without its verification, which checks
 * the whole. The task waits for them: it becomes pending, even if it was blocked, and its attempts so far no longer
 * count. A task in progress stays with its run until that run releases it. Throws RALPH_TASK_CLOSED for a task that is
 * done or failed.
 */
export async function splitTask(
  tx: Tx,
  id: string,
  parts: readonly SplitPart[],
  now: Date,
  { attemptsBefore, runId = null }: { readonly attemptsBefore: number; readonly runId?: string | null },
): Promise<readonly Task[]> {
  const { status, priority, tags, files } = await requireTask(tx, id);
  if (status === "done" || status === "failed") {
    throw new RalphError("RALPH_TASK_CLOSED", `Task ${id} is ${status}; only an open task can be split.`, {
      hint: `reopen it with \`ralph task retry ${id}\``,
    });
  }
  if (parts.length === 0) throw new RalphError("RALPH_TASK_BAD_TITLE", "A split needs at least one title.");
  const children: Task[] = [];
  for (const part of parts)
    children.push(await createTask(tx, { parentId: id, ...part, priority, tags, files }, now));
  const added = children.map((child) => ({ id: child.id, title: child.title }));
  await record(tx, { type: "task.split", runId, data: { taskId: id, children: added } }, now);
  if (status === "in_progress") return children;
  const reason = columnText(`split into ${children.map((child) => child.id).join(", ")}`);
  await changeStatus(
    tx,
    { id, status: "pending", reason, type: "task.updated", verb: "pending", also: { attemptsBefore } },
    now,
  );
  await settleBlocks(tx, now);
  return children;
}

/** Returns `in_progress` tasks without a claim, as from a schema 1 database, to `pending`. */
export async function returnUnclaimed(tx: Tx, now: Date): Promise<readonly Task[]> {
  const unclaimed = await tx.all<{ id: string }>(
    `SELECT id FROM tasks t WHERE t.status = 'in_progress'
       AND NOT EXISTS (SELECT 1 FROM claims c WHERE c.task_id = t.id) ORDER BY position, id`,
  );
  const tasks: Task[] = [];
  for (const { id } of unclaimed) {
    tasks.push(await changeStatus(tx, { id, status: "pending", type: "task.released" }, now));
  }
  return tasks;
}

async function complete(tx: Tx, id: string, runId: string | null, now: Date): Promise<Completion> {
  const task = await changeStatus(tx, { id, status: "done", type: "task.done", runId }, now);
  await settleBlocks(tx, now);
  const { parents, waiters } = await effectsOfCompletion(tx, id);
  const completed = [task];
  for (const parent of parents)
    completed.push(await changeStatus(tx, { id: parent.id, status: "done", type: "task.done", runId }, now));
  return { completed, unblocked: await readyAmong(tx, waiters) };
}

async function unfinishedChildren(q: Reader, id: string): Promise<readonly string[]> {
  const rows = await q.all<{ id: string }>(
    "SELECT id FROM tasks WHERE parent_id = ? AND status <> 'done' ORDER BY position, id",
    [id],
  );
  return rows.map((row) => row.id);
}

interface StatedReasons {
  readonly runId: string;
  /** The reasons of the run's attempts, as they were recorded. */
  readonly reasons: readonly string[];
}

/** Permanently erases what a run's attempts stated from the reasons and the history of tasks (TRUST-4). */
export async function eraseReasons(tx: Tx, { runId, reasons }: StatedReasons, now: Date): Promise<void> {
  const without = withoutReasons(runId, [...reasons, ...(await loggedReasons(tx, runId))]);
  const lines = await changeLogLines(tx, without);
  const ofTasks = new Set(lines.filter(({ isChanged }) => isChanged).map(({ taskId }) => taskId));
  for (const id of ofTasks) {
    const reason = (await getTask(tx, id))?.statusReason ?? "";
    const statusReason = without(reason);
    // Another run can have given the same reason.
    const end = `: ${oneLine(reason)}`;
    const isOthers = lines.some((line) => line.taskId === id && !line.isChanged && line.text.endsWith(end));
    if (statusReason !== undefined && !isOthers) await updateTask(tx, id, { statusReason }, now);
  }
}
