import { RalphError } from "../../../base/errors.ts";
import type { Tx } from "../../../store/port/db.ts";
import { settleBlocks } from "../../graph/settle-blocks.ts";
import type { Task, TaskStatus } from "../../graph/task.ts";
import type { TaskChanges } from "../../graph/task-fields.ts";
import {
  insertTasks,
  listTasks,
  moveTasks,
  readStatuses,
  requireTask,
  updateTask,
} from "../../graph/task-store.ts";
import { blockTask, markDone } from "../../graph/task-transitions.ts";
import { type ImportSource, inLine, isOpen, type MatchedTasks } from "../match/match-source.ts";
import type { ImportedTask } from "../source/imported-task.ts";
import { importDependencies } from "./import-dependencies.ts";
import { type ListChange, type ListChangeKind, ListChanges } from "./list-change.ts";
import { reorder } from "./list-order.ts";
import { releaseKeys, settleMissing } from "./missing-tasks.ts";
import { fieldsOf, type ImportPlan, newColumns, planImport, reasonOf } from "./plan-import.ts";
import { reopenParents } from "./reopen-parents.ts";
import { type UntickedTask, untickedTasks, untickedWarnings } from "./unticked-tasks.ts";

/** Ids of tasks, grouped by the effect of the import. */
export interface ImportResult {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  /** The tasks of the three lists above that are now done or blocked. */
  readonly done: readonly string[];
  readonly blocked: readonly string[];
  /** Tasks that the file no longer contains and that no run has worked on. */
  readonly removed: readonly string[];
  /** Unfinished tasks that the file no longer contains and that stay: those that a run has worked on are blocked. */
  readonly missing: readonly string[];
  /** Finished tasks whose item is open in the file; they stay done. */
  readonly unticked: readonly UntickedTask[];
  /** The effects on single tasks. */
  readonly changes: readonly ListChange[];
  readonly warnings: readonly string[];
}

/** The state that the steps of one import share. */
interface ImportRun extends ImportPlan {
  readonly tx: Tx;
  readonly now: Date;
  /** The project's tasks before the import, by id. */
  readonly before: ReadonlyMap<string, Task>;
  /** Finished tasks that wait for items below them again. */
  readonly reopened: ReadonlySet<string>;
  readonly updated: Set<string>;
  readonly changes: ListChanges;
  /** The titles in the file, by id. */
  readonly titles: ReadonlyMap<string, string>;
  /** True once this import has completed a task. */
  finished: boolean;
  readonly warnings: string[];
}

/** Writes a file's tasks into the project. Throws if any of them is invalid. */
export async function applyImport(tx: Tx, stated: ImportSource, now: Date): Promise<ImportResult> {
  const tasks = await listTasks(tx);
  const plan = await planImport(stated, tasks);
  const before = new Map(tasks.map((task) => [task.id, task]));
  const reopened = new Set(await reopenParents(tx, plan.matched, now));
  const titles = new Map(plan.matched.map(({ id, imported }) => [id, imported.title]));
  const collected = { updated: new Set<string>(), changes: new ListChanges(), finished: false };
  const run: ImportRun = {
    ...{ ...plan, ...collected, tx, now, before, titles, reopened },
    warnings: [...plan.warnings],
  };
  await insertTasks(tx, newColumns(plan), now);
  for (const { imported, id, existing } of run.matched)
    if (!existing) run.changes.add({ kind: "added", id, title: imported.title });
  for (const id of reopened) noteUpdate(run, id, "reopened");
  for (const match of run.matched) await writeFields(run, match);
  for (const id of await importDependencies(tx, run, now)) noteUpdate(run, id, "edited");
  const left = await writeMissing(run);
  // Children come before their parents, which they can complete.
  for (const match of run.matched.toReversed()) await writeState(run, match);
  const { places, moved } = await reorder(tx, run.source.path, run.matched);
  await moveTasks(tx, places, now);
  for (const id of moved) noteUpdate(run, id, "moved");
  await settleBlocks(tx, now);
  return report(run, left);
}

async function writeFields(run: ImportRun, match: MatchedTasks): Promise<void> {
  const { imported, id, existing } = match;
  if (!existing) return;
  const { tx, now, updated } = run;
  const { source, parentId, ...others } = differences(existing, statedFields(run, match));
  const open = isOpen(existing) || run.reopened.has(id);
  if (existing.status === "in_progress" && !isEmpty(others)) warnBusy(run, imported, id);
  // The parent of every task follows the file: an earlier one could wait for the new one.
  const changes = { ...(open ? others : {}), ...(parentId === undefined ? {} : { parentId }) };
  // The source is updated for every task, so that later imports find it.
  const toWrite = { ...changes, ...(source === undefined ? {} : { source }) };
  if (isEmpty(toWrite)) return;
  await updateTask(tx, id, toWrite, now).catch((error: unknown) => {
    throw inLine(run.source, imported, error);
  });
  updated.add(id);
  noteFields(run, existing, changes);
}

/** Returns the fields to write. A parent of another origin is a person's decision and stays. */
function statedFields(run: ImportRun, { imported, existing }: MatchedTasks): TaskChanges {
  const { parentId, ...fields } = fieldsOf(run, imported);
  const parent = run.before.get(existing?.parentId ?? "");
  const isOther = parentId === null && parent !== undefined && parent.source?.path !== run.source.path;
  return parentId === undefined || isOther ? fields : { ...fields, parentId };
}

function noteFields(run: ImportRun, { id, title: was }: Task, changes: TaskChanges): void {
  const { title, parentId: parent, ...others } = changes;
  if (title !== undefined) run.changes.add({ kind: "renamed", id, title, was });
  if (!isEmpty(others)) noteUpdate(run, id, "edited");
  if (parent !== undefined) noteUpdate(run, id, "moved");
}

function noteUpdate(run: ImportRun, id: string, kind: ListChangeKind): void {
  run.updated.add(id);
  run.changes.add({ kind, id, title: run.titles.get(id) ?? id });
}

async function writeState(run: ImportRun, { imported, id, existing }: MatchedTasks): Promise<void> {
  if (!existing) return;
  const { tx, now, updated } = run;
  // Only a task that this import completed can have changed the status of others.
  const task = run.finished ? await requireTask(tx, id) : existing;
  if (!isOpen(task)) {
    if (task.status === "in_progress" && imported.state !== "open") warnBusy(run, imported, id);
    // A parent may have been completed by its last child.
    if (existing.status !== task.status) updated.add(id);
  } else if (imported.state === "done") {
    await finish(run, imported, id);
  } else if (shouldBlock(task, imported)) {
    await blockTask(tx, id, { cause: "source", reason: imported.reason ?? "" }, now);
    noteUpdate(run, id, "blocked");
  } else if (imported.state === "open" && task.blockCause === "source") {
    await updateTask(tx, id, { status: "pending", statusReason: null, blockCause: null }, now);
    noteUpdate(run, id, "unblocked");
  }
}

async function finish(run: ImportRun, { line }: ImportedTask, id: string): Promise<void> {
  try {
    await markDone(run.tx, id, run.now);
    run.finished = true;
    noteUpdate(run, id, "ticked");
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== "RALPH_TASK_HAS_CHILDREN") throw error;
    run.warnings.push(
      `${run.source.path}:${line}: ${id} is marked as done but has unfinished children; it stays open`,
    );
  }
}

/** Settles what the file no longer contains. Returns the ids of the tasks that stay. */
async function writeMissing(run: ImportRun): Promise<Pick<ImportResult, "removed" | "missing">> {
  const { tx, now } = run;
  const { removed, withdrawn, kept } = await settleMissing(tx, run, now);
  const isRemoved = new Set(removed.map(({ id }) => id));
  await releaseKeys(
    tx,
    run.missing.filter(({ id }) => !isRemoved.has(id)),
    now,
  );
  for (const { id, title } of removed) run.changes.add({ kind: "removed", id, title });
  for (const { id, title } of withdrawn) run.changes.add({ kind: "withdrawn", id, title });
  const { path } = run.source;
  for (const { id, status } of kept)
    if (status === "in_progress")
      run.warnings.push(`${id} is no longer in ${path}, but in progress: unchanged`);
  const blocked = run.missing.filter(({ blockCause }) => blockCause === "source");
  return {
    removed: removed.map(({ id }) => id),
    missing: [...new Set([...kept, ...withdrawn, ...blocked].map(({ id }) => id))],
  };
}

async function report(
  run: ImportRun,
  left: Pick<ImportResult, "removed" | "missing">,
): Promise<ImportResult> {
  const { matched, updated, warnings } = run;
  const ids = matched.map(({ id }) => id);
  const statuses = await readStatuses(run.tx);
  const inStatus = (status: TaskStatus): readonly string[] => ids.filter((id) => statuses.get(id) === status);
  const known = matched.filter(({ existing }) => existing).map(({ id }) => id);
  const unticked = untickedTasks(run, statuses);
  return {
    created: matched.filter(({ existing }) => !existing).map(({ id }) => id),
    updated: known.filter((id) => updated.has(id)),
    unchanged: known.filter((id) => !updated.has(id)),
    done: inStatus("done"),
    blocked: inStatus("blocked"),
    ...left,
    unticked,
    changes: run.changes.all,
    warnings: [...new Set([...warnings, ...untickedWarnings(run.source.path, unticked)])],
  };
}

function warnBusy(run: ImportRun, imported: ImportedTask, id: string): void {
  const where = `${run.source.path}:${imported.line}`;
  run.warnings.push(`${where}: ${id} is in progress and was not changed; import again when it is not`);
}

/** A block with another cause takes precedence over the file. */
function shouldBlock(task: Task, imported: ImportedTask): boolean {
  if (imported.state !== "blocked") return false;
  if (task.status === "pending") return true;
  return task.blockCause === "source" && task.statusReason !== reasonOf(imported);
}

function differences(task: Task, fields: TaskChanges): TaskChanges {
  const current = new Map<string, unknown>(Object.entries(task));
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(current.get(name)) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed);
}

function isEmpty(changes: TaskChanges): boolean {
  return Object.keys(changes).length === 0;
}
