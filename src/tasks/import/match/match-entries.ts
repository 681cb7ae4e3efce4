import type { Task } from "../../graph/task.ts";
import type { ImportedTask } from "../source/imported-task.ts";
import { matchRenamed } from "./match-renamed.ts";

/** The entries of a file, and the project's tasks of the same file in the order of the last import. */
export interface Listed {
  readonly entries: readonly ImportedTask[];
  readonly tasks: readonly Task[];
  /** True: the format's ids identify an entry whatever its title is. False: a number can pass to another entry. */
  readonly idsIdentify: boolean;
}

/** The task of each entry that has one. */
export type EntryMatches = ReadonlyMap<ImportedTask, Task>;

/**
 * Matches the entries of a changed file with the tasks of its last import, by key, by title, and by place.
 * An open entry matches a finished task only if key and title agree: an item that was added must not count as done.
 */
export function matchEntries({ entries, tasks, idsIdentify }: Listed): EntryMatches {
  const matches = new Map<ImportedTask, Task>();
  const free = new Set(tasks);
  const byKey = grouped(tasks, ({ source }) => source?.key ?? "");
  const pair = (entry: ImportedTask, task: Task): void => {
    matches.set(entry, task);
    free.delete(task);
  };
  const isIdentified = ({ id }: ImportedTask): boolean => idsIdentify && id !== null;
  const left = (): readonly ImportedTask[] =>
    entries.filter((entry) => !matches.has(entry) && !isIdentified(entry));
  const pairByKey = (some: readonly ImportedTask[], agree: Agreement): void => {
    for (const entry of some) {
      const task = byKey.get(entry.key)?.find((one) => free.has(one) && agree(one, entry));
      if (task) pair(entry, task);
    }
  };
  // A key without an id is the item's text; a finished task can have an earlier title.
  const isSame = (task: Task, entry: ImportedTask): boolean =>
    task.title === entry.title || (entry.id === null && task.status === "done");
  pairByKey(entries, (task, entry) => isIdentified(entry) || (isSame(task, entry) && fits(task, entry)));
  if (matches.size === entries.length || free.size === 0) return matches;
  matchTitles(left(), free, pair);
  pairByKey(left(), (task, entry) => isSameText(task, entry) && fits(task, entry));
  const isOnly = onlyTitles(entries, tasks);
  // Unticked, or not ticked because the file could not be written.
  pairByKey(left(), (task, entry) => isSameText(task, entry) && isOnly(entry));
  const order = { entries, tasks, matches };
  for (const [entry, task] of matchRenamed(order, { left: left(), free: [...free].filter(isInFile), fits }))
    pair(entry, task);
  pairByKey(left(), fits);
  return matches;
}

type Agreement = (task: Task, entry: ImportedTask) => boolean;

function grouped<T>(all: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of all) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** Of several entries with one title, nobody can tell which is the finished one. */
function onlyTitles(
  entries: readonly ImportedTask[],
  tasks: readonly Task[],
): (entry: ImportedTask) => boolean {
  const inFile = grouped(entries, ({ title }) => title.toLowerCase());
  const inStore = grouped(tasks, ({ title }) => title.toLowerCase());
  return ({ title }) =>
    inFile.get(title.toLowerCase())?.length === 1 && inStore.get(title.toLowerCase())?.length === 1;
}

/** Returns false for a task that the file no longer contained at the last import: see `releaseKeys`. */
function isInFile({ id, source }: Task): boolean {
  return source?.key.endsWith(` ~${id}`) !== true;
}

function fits(task: Task, entry: ImportedTask): boolean {
  return task.status !== "done" || entry.state === "done" || entry.ticked === true;
}

function isSameText(task: Task, entry: ImportedTask): boolean {
  return task.title.toLowerCase() === entry.title.toLowerCase();
}

/** Matches equal titles under other keys, in order: an item that moved, or whose number or group changed. */
function matchTitles(
  left: readonly ImportedTask[],
  free: ReadonlySet<Task>,
  pair: (entry: ImportedTask, task: Task) => void,
): void {
  const byTitle = grouped([...free], ({ title }) => title);
  for (const entry of left) {
    const same = byTitle.get(entry.title) ?? [];
    const isDone = entry.state === "done";
    const task =
      same.find((one) => fits(one, entry) && (one.status === "done") === isDone) ??
      same.find((one) => fits(one, entry));
    if (!task) continue;
    same.splice(same.indexOf(task), 1);
    pair(entry, task);
  }
}
