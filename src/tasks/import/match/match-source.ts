import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { RalphError } from "../../../base/errors.ts";
import { sha256 } from "../../../base/hash.ts";
import type { SourceFormat, Task } from "../../graph/task.ts";
import type { ImportedTask } from "../source/imported-task.ts";
import { idTaken, prefixFor } from "./id-prefix.ts";
import { matchEntries } from "./match-entries.ts";

/** A file's tasks with its place and format. */
export interface ImportSource {
  readonly projectRoot: string;
  readonly path: string;
  readonly format: SourceFormat;
  readonly tasks: readonly ImportedTask[];
}

/** A task of the file with the project's task that it matches, if any. */
export interface MatchedTasks {
  readonly imported: ImportedTask;
  readonly id: string;
  readonly existing: Task | undefined;
}

export interface MatchResult {
  readonly matched: readonly MatchedTasks[];
  /** The file's tasks that it no longer contains. */
  readonly missing: readonly Task[];
  /** Reasons why ids differ from those in the file. */
  readonly warnings: readonly string[];
}

/**
 * Matches the file's tasks with the project's tasks of the same path, and selects ids for new ones. A task of a deleted file
 * also matches under another path if key and title agree, unless the project's task is done and the file's is open. Ids that
 * another list uses get a prefix from the file's name. Throws RALPH_IMPORT_ID_TAKEN if the id of a new task belongs to a
 * task that is not from another list.
 */
export async function matchSource(source: ImportSource, all: readonly Task[]): Promise<MatchResult> {
  const tasks = all.filter((task) => task.source?.path === source.path);
  const here = matchEntries({
    entries: source.tasks,
    tasks: tasks.toSorted((a, b) => a.position - b.position),
    idsIdentify: source.format !== "markdown",
  });
  const elsewhere = tasksElsewhere(source, all);
  const isGone = deletedFileCheck(source.projectRoot);
  const found: Pick<MatchedTasks, "imported" | "existing">[] = [];
  for (const imported of source.tasks) {
    const same = (elsewhere.get(imported.key) ?? []).filter((task) => isSame(task, imported, source));
    const gone = await Promise.all(same.map(isGone));
    found.push({ imported, existing: here.get(imported) ?? same.find((_, at) => gone[at]) });
  }
  const holders = new Map(all.map((task) => [task.id, task]));
  const { prefix, warnings } = await prefixFor({ source, found, holders, isGone });
  const used = new Set(holders.keys());
  const matched = found.map(({ imported, existing }): MatchedTasks => {
    const id = existing?.id ?? newIdFor(imported, { source, prefix, used });
    used.add(id);
    return { imported, id, existing };
  });
  const kept = new Set([...here.values()]);
  return { matched, missing: tasks.filter((task) => !kept.has(task)), warnings };
}

/** Returns the tasks of other files by key. */
function tasksElsewhere(source: ImportSource, all: readonly Task[]): ReadonlyMap<string, readonly Task[]> {
  const byKey = new Map<string, Task[]>();
  for (const task of all) {
    if (!task.source || task.source.path === source.path) continue;
    const same = byKey.get(task.source.key);
    if (same) same.push(task);
    else byKey.set(task.source.key, [task]);
  }
  return byKey;
}

function isSame(task: Task, imported: ImportedTask, { format }: ImportSource): boolean {
  const wouldHide = task.status === "done" && imported.state !== "done";
  const sameId = imported.id === null || imported.id === task.id || task.id.endsWith(`:${imported.id}`);
  return sameId && task.title === imported.title && task.source?.format === format && !wouldHide;
}

function deletedFileCheck(projectRoot: string): (task: Task) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async ({ source }) => {
    if (!source) return false;
    const { path } = source;
    const gone =
      known.get(path) ??
      (await stat(resolve(projectRoot, path)).then(
        () => false,
        () => true,
      ));
    known.set(path, gone);
    return gone;
  };
}

interface NewIds {
  readonly source: ImportSource;
  /** The prefix of ids from the file; "" or `<name>:`. */
  readonly prefix: string;
  readonly used: ReadonlySet<string>;
}

function newIdFor({ id, key, line }: ImportedTask, { source, prefix, used }: NewIds): string {
  // A number can belong to another item of the list by now, which keeps it as its id.
  if (id === null || (source.format === "markdown" && used.has(prefix + id))) {
    // Derived from path and key, so that every clone gets the same ids unless one with six digits is in use.
    const digits = sha256(`${source.path}\n${key}`);
    for (let length = 6; ; length += 2) {
      const derived = `t-${digits.slice(0, length)}`;
      if (!used.has(derived)) return derived;
    }
  }
  if (!used.has(prefix + id)) return prefix + id;
  throw idTaken({ path: source.path, line }, id, undefined);
}

/** Returns true if the task is neither done nor in progress. */
export function isOpen(task: Task): boolean {
  return task.status !== "done" && task.status !== "in_progress";
}

/** Returns the error with the path and line of the entry that caused it. */
export function inLine({ path }: ImportSource, { line }: ImportedTask, error: unknown): unknown {
  if (!(error instanceof RalphError)) return error;
  const { code, message, hint } = error;
  return new RalphError(code, `${path}:${line}: ${message}`, { ...(hint ? { hint } : {}), cause: error });
}
