import type { Reader, Tx } from "../../../store/port/db.ts";
import { type SourceFormat, type Task, withdrawnFrom } from "../../graph/task.ts";
import { begunAmong, removeTasks } from "../../graph/task-graph.ts";
import { getTask, requireTask, updateTask } from "../../graph/task-store.ts";
import { blockTask } from "../../graph/task-transitions.ts";
import type { ImportPlan } from "./plan-import.ts";

/** An export of a tracker is often incomplete: what it lacks was not deleted. */
const exports: ReadonlySet<SourceFormat> = new Set(["github-issues"]);

/** The file's unfinished tasks that it no longer contains, by what happens to them. */
interface MissingTasks {
  /** Never begun. */
  readonly removed: readonly Task[];
  /** Begun, or with other children: they stay and are not worked on. */
  readonly withdrawn: readonly Task[];
  /** In progress, or of a file that is an incomplete copy: unchanged. */
  readonly kept: readonly Task[];
}

/**
 * Removes the file's tasks that it no longer contains. A task that a run has worked on, or with children of another origin,
 * is blocked instead, until the file contains it again; its parent no longer waits for it. Finished tasks stay.
 */
export async function settleMissing(
  tx: Tx,
  { source, missing }: Pick<ImportPlan, "source" | "missing">,
  now: Date,
): Promise<MissingTasks> {
  const open = missing.filter(({ status }) => status !== "done");
  if (exports.has(source.format)) return { removed: [], withdrawn: [], kept: open };
  const idle = open.filter(({ status }) => status !== "in_progress");
  const removable = await neverBegun(tx, idle);
  const removed = await removeTasks(tx, removable, now);
  const reason = withdrawnFrom(source.path);
  const withdrawn = idle.filter((task) => !removable.has(task.id) && isReadyLater(task));
  for (const { id } of withdrawn) await blockTask(tx, id, { cause: "source", reason }, now);
  await leaveParents(
    tx,
    idle.filter(({ id }) => !removable.has(id)),
    { source, missing },
    now,
  );
  const kept = open.filter(({ status }) => status === "in_progress");
  return { removed, withdrawn, kept };
}

/** Moves tasks out of the parents that the file still contains: these could never finish otherwise. */
async function leaveParents(
  tx: Tx,
  tasks: readonly Task[],
  { source, missing }: Pick<ImportPlan, "source" | "missing">,
  now: Date,
): Promise<void> {
  const left = new Set(missing.map(({ id }) => id));
  for (const { id } of tasks) {
    const { parentId } = await requireTask(tx, id);
    const parent = parentId === null || left.has(parentId) ? undefined : await getTask(tx, parentId);
    if (parent?.source?.path === source.path) await updateTask(tx, id, { parentId: null }, now);
  }
}

/**
 * Gives the tasks that the file no longer contains, and that stay, a key of their own: an item that is added under the same
 * text or number later is another one, which their completion must not tick. Ids of other formats than Markdown identify
 * an item that returns, so only finished tasks lose them.
 */
export async function releaseKeys(tx: Tx, staying: readonly Task[], now: Date): Promise<void> {
  for (const { id, status, source } of staying) {
    const end = ` ~${id}`;
    if (!source || source.key.endsWith(end) || status === "in_progress") continue;
    if (status !== "done" && source.format !== "markdown") continue;
    await updateTask(tx, id, { source: { ...source, key: `${source.key}${end}` } }, now);
  }
}

/** Returns true if a run could take the task up without another decision. */
function isReadyLater({ status, blockCause }: Task): boolean {
  return status === "pending" || blockCause === "dependency" || blockCause === "child";
}

/** Returns the ids of the tasks that no run has worked on and whose unfinished children are among them. */
async function neverBegun(q: Reader, tasks: readonly Task[]): Promise<ReadonlySet<string>> {
  const ids = tasks.map(({ id }) => id);
  const begun = await begunAmong(q, ids);
  const removable = new Set(ids.filter((id) => !begun.has(id)));
  const children = await openChildren(q, ids);
  for (let changed = true; changed; ) {
    changed = false;
    for (const { id, parent } of children) if (!removable.has(id) && removable.delete(parent)) changed = true;
  }
  return removable;
}

async function openChildren(
  q: Reader,
  ids: readonly string[],
): Promise<readonly { readonly id: string; readonly parent: string }[]> {
  const { sql, params } = q.dialect.inList("parent_id", ids);
  return q.all(`SELECT id, parent_id AS parent FROM tasks WHERE status <> 'done' AND ${sql}`, params);
}
