import { RalphError } from "../../base/errors.ts";
import type { RedactedText } from "../../base/safe-text.ts";
import type { Row, Tx } from "../../store/db.ts";
import { columnText } from "../../trust/safe-text.ts";
import { blockTask, markDone } from "../finish-task.ts";
import { settleBlocks } from "../graph/settle-blocks.ts";
import type { Task, TaskStatus } from "../task.ts";
import type { TaskChanges } from "../task-fields.ts";
import {
  insertTasks,
  listTasks,
  newTaskColumns,
  readStatuses,
  requireTask,
  updateTask,
} from "../task-store.ts";
import { checkImported } from "./check-imported.ts";
import { importDependencies } from "./import-dependencies.ts";
import type { ImportedTask } from "./imported-task.ts";
import { withKnownBlockers } from "./known-blockers.ts";
import { type ImportSource, inLine, isOpen, type MatchedTasks, matchSource } from "./match-source.ts";

/** Ids of tasks, grouped by the effect of the import. */
export interface ImportResult {
  readonly created: readonly string[];
  readonly updated: readonly string[];
  readonly unchanged: readonly string[];
  /** The tasks of the three lists above that are now done or blocked. */
  readonly done: readonly string[];
  readonly blocked: readonly string[];
  /** Unfinished tasks of this file that it no longer contains; they stay unchanged. */
  readonly missing: readonly string[];
  readonly warnings: readonly string[];
}

/** The state that the steps of one import share. */
interface ImportRun {
  readonly tx: Tx;
  readonly now: Date;
  readonly source: ImportSource;
  readonly matched: readonly MatchedTasks[];
  /** By key. */
  readonly ids: ReadonlyMap<string, string>;
  readonly updated: Set<string>;
  /** True once this import has completed a task. */
  finished: boolean;
  readonly warnings: string[];
}

/** The import of a file into a project, checked as far as possible without writing. */
export interface ImportPlan {
  readonly source: ImportSource;
  readonly matched: readonly MatchedTasks[];
  /** By key. */
  readonly ids: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
  /** The columns of the new tasks, parents first. */
  readonly created: readonly Row[];
}

/**
 * Plans an import into a project without tasks. Throws the errors of the import, so that a rejected file does not create
 * a store.
 */
export async function planFirstImport(stated: ImportSource): Promise<ImportPlan> {
  return planImport(stated, []);
}

async function planImport(stated: ImportSource, before: readonly Task[]): Promise<ImportPlan> {
  const known = new Set(before.map(({ id }) => id));
  const isKnown = (id: string): boolean => known.has(id);
  const { tasks, warnings: unknown } = withKnownBlockers({ ...stated, isKnown });
  const source = { ...stated, tasks };
  checkImported({ path: source.path, tasks, isKnown });
  const { matched, warnings: renamed } = await matchSource(source, before);
  const ids = new Map(matched.map(({ imported, id }) => [imported.key, id]));
  const plan = { source, matched, ids, warnings: [...unknown, ...renamed] };
  const created = matched.filter(({ existing }) => !existing).map((match) => newColumns(plan, match));
  return { ...plan, created };
}

/**
 * Writes a file's tasks into the project. Throws if any of them is invalid. Uses the plan `first` if the project has no
 * tasks.
 */
export async function applyImport(
  tx: Tx,
  { stated, first }: { readonly stated: ImportSource; readonly first?: ImportPlan | undefined },
  now: Date,
): Promise<ImportResult> {
  const before = await listTasks(tx);
  const isFirst = first !== undefined && before.length === 0;
  const { warnings, created, ...plan } = isFirst ? first : await planImport(stated, before);
  const run: ImportRun = { tx, now, ...plan, updated: new Set(), finished: false, warnings: [...warnings] };
  await insertTasks(tx, created, now);
  for (const match of run.matched) await writeFields(run, match);
  for (const id of await importDependencies(tx, run, now)) run.updated.add(id);
  // Children come before their parents, which they can complete.
  for (const match of run.matched.toReversed()) await writeState(run, match);
  await settleBlocks(tx, now);
  return report(run, before);
}

function newColumns(plan: Pick<ImportRun, "source" | "ids">, { imported, id }: MatchedTasks): Row {
  const blocked = { status: "blocked", statusReason: reasonOf(imported), blockCause: "source" } as const;
  const state = { open: {}, done: { status: "done" }, blocked } as const;
  try {
    return newTaskColumns({ ...fieldsOf(plan, imported), ...state[imported.state], id });
  } catch (error) {
    throw inLine(plan.source, imported, error);
  }
}

async function writeFields(run: ImportRun, match: MatchedTasks): Promise<void> {
  const { imported, id, existing } = match;
  if (!existing) return;
  const { tx, now, updated } = run;
  const { source, ...changes } = differences(existing, fieldsOf(run, imported));
  const open = isOpen(existing);
  if (existing.status === "in_progress" && !isEmpty(changes)) warnBusy(run, imported, id);
  // The source is updated for every task, so that later imports find it.
  const toWrite = { ...(open ? changes : {}), ...(source === undefined ? {} : { source }) };
  if (isEmpty(toWrite)) return;
  await updateTask(tx, id, toWrite, now).catch((error: unknown) => {
    throw inLine(run.source, imported, error);
  });
  updated.add(id);
}

function fieldsOf(
  run: Pick<ImportRun, "source" | "ids">,
  imported: ImportedTask,
): TaskChanges & { readonly title: string } {
  const { key, parentKey, title, description } = imported;
  const { priority, tags, files, acceptance, verification, commitTemplate, parallelGroup } = imported;
  const stated = { priority, tags, files, acceptance, verification, commitTemplate, parallelGroup };
  const parentId = parentKey === null ? null : run.ids.get(parentKey ?? "");
  const source = { format: run.source.format, path: run.source.path, key };
  return { title, description, source, ...defined({ ...stated, parentId }) };
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
    updated.add(id);
  } else if (imported.state === "open" && task.blockCause === "source") {
    await updateTask(tx, id, { status: "pending", statusReason: null, blockCause: null }, now);
    updated.add(id);
  }
}

async function finish(run: ImportRun, { line }: ImportedTask, id: string): Promise<void> {
  try {
    await markDone(run.tx, id, run.now);
    run.finished = true;
    run.updated.add(id);
  } catch (error) {
    if (!(error instanceof RalphError) || error.code !== "RALPH_TASK_HAS_CHILDREN") throw error;
    run.warnings.push(
      `${run.source.path}:${line}: ${id} is marked as done but has unfinished children; it stays open`,
    );
  }
}

async function report(run: ImportRun, before: readonly Task[]): Promise<ImportResult> {
  const { matched, updated, warnings } = run;
  const ids = matched.map(({ id }) => id);
  const inFile = new Set(ids);
  const statuses = await readStatuses(run.tx);
  const inStatus = (status: TaskStatus): readonly string[] => ids.filter((id) => statuses.get(id) === status);
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
  run.warnings.push(`${where}: ${id} is in progress and was not changed; import again when it is not`);
}

/** A block with another cause takes precedence over the file. */
function shouldBlock(task: Task, imported: ImportedTask): boolean {
  if (imported.state !== "blocked") return false;
  if (task.status === "pending") return true;
  return task.blockCause === "source" && task.statusReason !== reasonOf(imported);
}

function reasonOf({ reason }: ImportedTask): RedactedText | null {
  return reason === null ? null : columnText(reason);
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

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
