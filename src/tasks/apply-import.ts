import { RalphError } from "../base/errors.ts";
import type { Tx } from "../store/db.ts";
import { checkImported } from "./check-imported.ts";
import { blockTask, markDone } from "./finish-task.ts";
import { addDependency, allDependencies, removeDependency } from "./graph.ts";
import type { ImportedTask } from "./imported-task.ts";
import { withKnownBlockers } from "./known-blockers.ts";
import { type ImportSource, type Matched, matchSource } from "./match-source.ts";
import { settleBlocks } from "./settle-blocks.ts";
import type { Task, TaskStatus } from "./task.ts";
import type { TaskChanges } from "./task-fields.ts";
import { createTask, listTasks, requireTask, updateTask } from "./task-store.ts";

/** Ids of tasks, by what the import did with them. */
export interface ImportResult {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  /** Of the three above, those that are done or blocked now. */
  readonly done: readonly string[];
  readonly blocked: readonly string[];
  /** Unfinished ones that came from this file, are in it no more, and stay as they are. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
}

/** What the steps of one import share. */
interface ImportRun {
  readonly tx: Tx;
  readonly now: Date;
  readonly source: ImportSource;
  readonly matched: readonly Matched[];
  /** By key. */
  readonly ids: ReadonlyMap<string, string>;
  readonly updated: Set<string>;
  readonly warnings: string[];
}

/** Writes what a file says into the project's tasks; throws when any of it cannot be. For `importTasks`. */
export async function applyImport(tx: Tx, stated: ImportSource, now: Date): Promise<ImportResult> {
  const before = await listTasks(tx);
  const known = new Set(before.map(({ id }) => id));
  const isKnown = (id: string): boolean => known.has(id);
  const { tasks, warnings } = withKnownBlockers({ ...stated, isKnown });
  const source = { ...stated, tasks };
  checkImported({ path: source.path, tasks, isKnown });
  const matched = await matchSource(source, before);
  const ids = new Map(matched.map(({ imported, id }) => [imported.key, id]));
  const run: ImportRun = { tx, now, source, matched, ids, updated: new Set(), warnings: [...warnings] };
  for (const match of matched) await at(run, match, () => writeFields(run, match));
  await writeDependencies(run);
  // Children before their parents, which may be done with them.
  for (const match of matched.toReversed()) await writeState(run, match);
  await settleBlocks(tx, now);
  return report(run, before);
}

async function writeFields(run: ImportRun, { imported, id, existing }: Matched): Promise<void> {
  const { tx, now, updated } = run;
  const fields = fieldsOf(run, imported);
  if (!existing) {
    const blocked = { status: "blocked", statusReason: imported.reason, blockCause: "source" } as const;
    const state = { open: {}, done: { status: "done" }, blocked } as const;
    await createTask(tx, { ...fields, ...state[imported.state], id }, now);
    return;
  }
  const { source, ...changes } = differences(existing, fields);
  const open = isOpen(existing);
  if (existing.status === "in_progress" && !isEmpty(changes)) warnBusy(run, imported, id);
  // Where a task is found again is known of every one.
  const written = { ...(open ? changes : {}), ...(source === undefined ? {} : { source }) };
  if (isEmpty(written)) return;
  await updateTask(tx, id, written, now);
  updated.add(id);
}

function fieldsOf(run: ImportRun, imported: ImportedTask): TaskChanges & { readonly title: string } {
  const { key, parentKey, title, description } = imported;
  const { priority, tags, files, acceptance, verification, commitTemplate, parallelGroup } = imported;
  const stated = { priority, tags, files, acceptance, verification, commitTemplate, parallelGroup };
  const parentId = parentKey === null ? null : run.ids.get(parentKey ?? "");
  const source = { format: run.source.format, path: run.source.path, key };
  return { title, description, source, ...defined({ ...stated, parentId }) };
}

/**
 * Between tasks of one file the file decides. What a task waits for elsewhere was said by a person or another file:
 * it stays.
 */
async function writeDependencies(run: ImportRun): Promise<void> {
  const { tx, now, ids, updated } = run;
  const ours = new Set(ids.values());
  const present = new Map<string, Set<string>>();
  for (const { taskId, blockerId } of await allDependencies(tx)) {
    present.set(taskId, (present.get(taskId) ?? new Set()).add(blockerId));
  }
  const stating = run.matched
    .filter(({ imported, existing }) => imported.dependsOn && (!existing || isOpen(existing)))
    .map((match) => {
      const wanted = (match.imported.dependsOn ?? []).map((key) => ids.get(key) ?? key);
      return { ...match, wanted, had: present.get(match.id) ?? new Set<string>() };
    });
  // All that goes first, so that an edge may be turned round.
  for (const { id, wanted, had } of stating) {
    for (const blockerId of had) {
      if (!ours.has(blockerId) || wanted.includes(blockerId)) continue;
      await removeDependency(tx, { taskId: id, blockerId }, now);
      updated.add(id);
    }
  }
  for (const { id, wanted, had, ...match } of stating) {
    for (const blockerId of wanted) {
      if (had.has(blockerId)) continue;
      await at(run, match, () => addDependency(tx, { taskId: id, blockerId }, now));
      updated.add(id);
    }
  }
}

async function writeState(run: ImportRun, { imported, id, existing }: Matched): Promise<void> {
  if (!existing) return;
  const { tx, now, updated } = run;
  const task = await requireTask(tx, id);
  if (!isOpen(task)) {
    if (task.status === "in_progress" && imported.state !== "open") warnBusy(run, imported, id);
    // A parent may have been completed by its last child.
    if (existing.status !== task.status) updated.add(id);
  } else if (imported.state === "done") {
    await finish(run, imported, id);
  } else if (isToBeBlocked(task, imported)) {
    await blockTask(tx, id, { cause: "source", reason: imported.reason ?? "" }, now);
    updated.add(id);
  } else if (imported.state === "open" && task.blockCause === "source") {
    await updateTask(tx, id, { status: "pending", statusReason: null, blockCause: null }, now);
    updated.add(id);
  }
}

async function finish(run: ImportRun, { line }: ImportedTask, id: string): Promise<void> {
  try {
    await markDone(run.tx, id, run.now);
    run.updated.add(id);
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== "RALPH_TASK_HAS_CHILDREN") throw error;
    run.warnings.push(
      `${run.source.path}:${line}: ${id} is done here, but not all children of it are: it stays open`,
    );
  }
}

async function report(run: ImportRun, before: readonly Task[]): Promise<ImportResult> {
  const { matched, updated, warnings } = run;
  const ids = matched.map(({ id }) => id);
  const inFile = new Set(ids);
  const tasks = new Map((await listTasks(run.tx)).map((task) => [task.id, task]));
  const inStatus = (status: TaskStatus): readonly string[] =>
    ids.filter((id) => tasks.get(id)?.status === status);
  const known = matched.filter(({ existing }) => existing).map(({ id }) => id);
  const isMissing = ({ id, status, source }: Task): boolean =>
    source?.path === run.source.path && !inFile.has(id) && status !== "done";
  return {
    created: matched.filter(({ existing }) => !existing).map(({ id }) => id),
    updated: known.filter((id) => updated.has(id)),
    unchanged: known.filter((id) => !updated.has(id)),
    done: inStatus("done"),
    blocked: inStatus("blocked"),
    missing: before.filter(isMissing).map(({ id }) => id),
    warnings: [...new Set(warnings)],
  };
}

function warnBusy(run: ImportRun, imported: ImportedTask, id: string): void {
  const where = `${run.source.path}:${imported.line}`;
  run.warnings.push(`${where}: ${id} is being worked on and stays as it is; import again when it is not`);
}

/** Tells of any error where in the file its reason stands. */
async function at(
  run: ImportRun,
  { imported }: Pick<Matched, "imported">,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    const message = `${run.source.path}:${imported.line}: ${error.message}`;
    throw new RalphError(error.code, message, { ...(error.hint ? { hint: error.hint } : {}), cause: error });
  }
}

/** Neither done nor being worked on. */
function isOpen(task: Task): boolean {
  return task.status !== "done" && task.status !== "in_progress";
}

/** A block for another reason outlasts what the file says. */
function isToBeBlocked(task: Task, imported: ImportedTask): boolean {
  if (imported.state !== "blocked") return false;
  if (task.status === "pending") return true;
  return task.blockCause === "source" && task.statusReason !== imported.reason;
}

function differences(task: Task, fields: TaskChanges): TaskChanges {
  const now = new Map<string, unknown>(Object.entries(task));
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(now.get(name)) !== JSON.stringify(value),
  );
  return Object.fromEntries(changed);
}

function isEmpty(changes: TaskChanges): boolean {
  return Object.keys(changes).length === 0;
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
