import { RalphError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { record } from "../events/event-store.ts";
import type { Db, Reader, Tx } from "../store/port/db.ts";
import type { SourceFormat } from "./graph/task.ts";
import { listTasks } from "./graph/task-store.ts";
import { applyImport, type ImportResult } from "./import/apply/apply-import.ts";
import type { ListChange } from "./import/apply/list-change.ts";
import type { UntickedTask } from "./import/apply/unticked-tasks.ts";
import { matchSource } from "./import/match/match-source.ts";
import { type ImportedList, importedLists, type ReadList, readList } from "./import/read-list.ts";
import { readSourceFile } from "./import/source/source-file.ts";
import { formatNamed, formatOf } from "./import/source-formats.ts";
import { readLists } from "./write-back.ts";

interface ImportRequest {
  readonly projectRoot: string;
  /** Relative to the project's root, or absolute. */
  readonly path: string;
  /** Absent: detected from the file's name and content. */
  readonly format?: string;
}

export interface ImportReport extends Omit<ImportResult, "changes"> {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  readonly format: SourceFormat;
  /** Notices for the user, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Imports a file's tasks in one transaction: all of them, or none on any error. A repeated import updates the file's
 * tasks: those that are neither done nor in progress get the file's fields and order, those that it ticks become done, and
 * those that it no longer contains are removed, or blocked if a run has worked on them. None is reopened. Errors: those of
 * `readSourceFile`, RALPH_IMPORT_FORMAT, RALPH_YAML_INVALID, RALPH_JSON_INVALID, RALPH_IMPORT_INVALID, RALPH_IMPORT_EMPTY,
 * RALPH_IMPORT_DUPLICATE_ID, RALPH_IMPORT_UNKNOWN_DEPENDENCY, RALPH_TASK_CYCLE, RALPH_IMPORT_ID_TAKEN (a task of another file or of a
 * person has that id), and those of `createTask`.
 */
export async function importTasks(
  db: Db,
  { projectRoot, path, format: name }: ImportRequest,
  now: Date,
): Promise<ImportReport> {
  if (name !== undefined) formatNamed(name);
  const source = await readSourceFile(projectRoot, path);
  const format = name === undefined ? formatOf(source) : formatNamed(name);
  const { tasks, warnings } = await format.parse(source);
  const stated = { projectRoot, path: source.path, format: format.name, tasks };
  const applied = await db.transaction((tx) => applyImport(tx, stated, now));
  const { changes: _, ...result } = applied;
  const noTicks = `${source.path} is outside the project: finished tasks are not ticked in it`;
  return {
    ...{ path: source.path, format: format.name, ...result },
    warnings: [...warnings, ...(source.inside ? [] : [noTicks]), ...result.warnings],
  };
}

/** The differences of one imported file from its last import. */
export interface ListSync {
  /** Relative to the project's root, with `/`. */
  readonly path: string;
  readonly changes: readonly ListChange[];
  /** Finished tasks whose item is open in the file; they stay done. `warnings` names them too. */
  readonly unticked: readonly UntickedTask[];
  /** Notices for a person, one line each. */
  readonly warnings: readonly string[];
  /** Why the file was not compared; \`warnings\` contains it too. Absent: it was. */
  readonly problem?: string;
}

interface SyncRequest {
  readonly projectRoot: string;
  /** The run that adopts the changes; null: a person's command. */
  readonly runId?: string | null;
}

/** The maximum number of changes in an event. */
const maxRecorded = 100;

/**
 * Adopts the changes of all imported files (TASK-10), one transaction with an event for each file. A deleted file changes
 * nothing. Errors: those of `importTasks`, except RALPH_IMPORT_EMPTY: a file without a checklist is a list
 * whose items were all deleted, unless it is empty.
 */
export async function syncLists(db: Db, request: SyncRequest, now: Date): Promise<readonly ListSync[]> {
  const synced: ListSync[] = [];
  for (const list of await importedLists(db)) {
    const read = await readList(request.projectRoot, list);
    if ("problem" in read) synced.push(unchanged(list, read.problem));
    else synced.push(await db.transaction((tx) => adopt(tx, read, { ...request, now })));
  }
  return synced;
}

/** Returns what `syncLists` would change, and changes nothing. Throws the same errors. */
export async function compareLists(db: Db, request: SyncRequest, now: Date): Promise<readonly ListSync[]> {
  const compared: ListSync[] = [];
  for (const list of await importedLists(db)) {
    const read = await readList(request.projectRoot, list);
    if ("problem" in read) compared.push(unchanged(list, read.problem));
    else compared.push(await undone(db, (tx) => adopt(tx, read, { ...request, now })));
  }
  return compared;
}

/** Characters. A longer list takes seconds, and the end of a run would wait for it. */
const maxCounted = 100_000;

/** Open items that are no tasks. */
interface UnknownItems {
  readonly path: string;
  readonly items: number;
  /** Why the file says nothing about its items. */
  readonly problem?: string;
}

/** Returns the imported files with open items that are no tasks, and those that are not valid. Names no file that takes long to read. */
export async function unknownItems(q: Reader, projectRoot: string): Promise<readonly UnknownItems[]> {
  const lists = (await readLists(q, projectRoot)).filter(({ text }) => text.length <= maxCounted);
  if (lists.length === 0) return [];
  const all = await listTasks(q);
  const found: UnknownItems[] = [];
  for (const list of lists) {
    try {
      const { tasks } = await formatNamed(list.format).parse(list);
      const { matched } = await matchSource({ projectRoot, ...list, tasks }, all);
      const items = matched.filter(({ imported, existing }) => !existing && imported.state === "open").length;
      if (items > 0) found.push({ path: list.path, items });
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      if (error.code !== "RALPH_IMPORT_EMPTY")
        found.push({ path: list.path, items: 0, problem: error.message });
    }
  }
  return found;
}

function unchanged({ path }: ImportedList, problem: string): ListSync {
  return { path, changes: [], unticked: [], warnings: [problem], problem };
}

async function adopt(
  tx: Tx,
  { warnings: parse, ...stated }: ReadList,
  { runId = null, now }: SyncRequest & { readonly now: Date },
): Promise<ListSync> {
  const { changes, unticked, warnings } = await applyImport(tx, stated, now);
  const { path } = stated;
  if (changes.length > 0) {
    const shown = changes.slice(0, maxRecorded).map((change): JsonObject => ({ ...change }));
    await record(
      tx,
      { type: "list.synced", runId, data: { path, total: changes.length, changes: shown } },
      now,
    );
  }
  // A screen shows only the first ones: those of the tasks precede those of the text.
  return { path, changes, unticked, warnings: [...warnings, ...parse] };
}

/** Runs `work` in a transaction that is rolled back. */
async function undone<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined;
  const undo = new Error("undo");
  await db
    .transaction(async (tx) => {
      result = { value: await work(tx) };
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  if (!result) throw new Error("the comparison ended without a result");
  return result.value;
}
