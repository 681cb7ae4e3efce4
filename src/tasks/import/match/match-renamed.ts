import type { Task } from "../../task.ts";
import type { ImportedTask } from "../imported-task.ts";
import { type ComparedTitle, comparedTitle, similarity } from "./similarity.ts";

/** A renamed item at its place shares at least this much with its former title; one elsewhere, this much. */
const minAtPlace = 0.3;
const minElsewhere = 0.6;
/** The advantage of an item at its place. */
const placeBonus = 0.25;
/** Bounds the comparisons: beyond, only items at their place are compared, within a short distance. */
const maxPairs = 100_000;
const maxDistance = 10;

interface Order {
  readonly entries: readonly ImportedTask[];
  readonly tasks: readonly Task[];
  readonly matches: ReadonlyMap<ImportedTask, Task>;
}

interface Unmatched {
  readonly left: readonly ImportedTask[];
  readonly free: readonly Task[];
  /** Returns false if the entry must not take over the task's status. */
  readonly fits: (task: Task, entry: ImportedTask) => boolean;
}

interface Placed<T> {
  readonly item: T;
  /** The number of the nearest matched item before it; equal for an entry and a task between the same neighbours. */
  readonly gap: number;
  /** The number of unmatched items between that one and it. */
  readonly at: number;
  readonly title: ComparedTitle;
}

interface Pair {
  readonly entry: Placed<ImportedTask>;
  readonly task: Placed<Task>;
  readonly score: number;
}

/** Matches entries with renamed tasks: the most similar titles first, those between the same neighbours preferred. */
export function matchRenamed(order: Order, unmatched: Unmatched): readonly (readonly [ImportedTask, Task])[] {
  const { left, free, fits } = unmatched;
  if (left.length === 0 || free.length === 0) return [];
  const entries = placedEntries(order, new Set(left));
  const tasks = placedTasks(order, new Set(free));
  const pairs = candidates(entries, tasks)
    .filter(([entry, task]) => fits(task.item, entry.item))
    .flatMap(([entry, task]) => scored(entry, task));
  const used = new Set<unknown>();
  const found: (readonly [ImportedTask, Task])[] = [];
  for (const { entry, task } of pairs.toSorted((a, b) => b.score - a.score)) {
    if (used.has(entry) || used.has(task)) continue;
    used.add(entry).add(task);
    found.push([entry.item, task.item]);
  }
  return found;
}

/** Returns the pair with its score if the titles are similar enough. */
function scored(entry: Placed<ImportedTask>, task: Placed<Task>): readonly Pair[] {
  const isNear = entry.gap === task.gap;
  const like = similarity(entry.title, task.title);
  if (like < (isNear ? minAtPlace : minElsewhere)) return [];
  const bonus = isNear ? placeBonus - Math.abs(entry.at - task.at) / 1000 : 0;
  return [{ entry, task, score: like + bonus }];
}

function candidates(
  entries: readonly Placed<ImportedTask>[],
  tasks: readonly Placed<Task>[],
): readonly (readonly [Placed<ImportedTask>, Placed<Task>])[] {
  if (entries.length * tasks.length <= maxPairs)
    return entries.flatMap((entry) => tasks.map((task) => [entry, task] as const));
  const byPlace = new Map(tasks.map((task) => [`${task.gap} ${task.at}`, task]));
  return entries.flatMap((entry) => {
    const near: (readonly [Placed<ImportedTask>, Placed<Task>])[] = [];
    for (let at = entry.at - maxDistance; at <= entry.at + maxDistance; at++) {
      const task = byPlace.get(`${entry.gap} ${at}`);
      if (task) near.push([entry, task]);
    }
    return near;
  });
}

function placedEntries({ entries }: Order, left: ReadonlySet<ImportedTask>): readonly Placed<ImportedTask>[] {
  let gap = -1;
  let at = 0;
  const placed: Placed<ImportedTask>[] = [];
  for (const [number, item] of entries.entries()) {
    if (left.has(item)) placed.push({ item, gap, at: at++, title: comparedTitle(item.title) });
    else [gap, at] = [number, 0];
  }
  return placed;
}

/** Numbers the gaps by the entries of the matched tasks before them. */
function placedTasks({ entries, tasks, matches }: Order, free: ReadonlySet<Task>): readonly Placed<Task>[] {
  const numbers = new Map<Task, number>();
  for (const [number, entry] of entries.entries()) {
    const task = matches.get(entry);
    if (task) numbers.set(task, number);
  }
  let gap = -1;
  let at = 0;
  const placed: Placed<Task>[] = [];
  for (const item of tasks) {
    if (free.has(item)) placed.push({ item, gap, at: at++, title: comparedTitle(item.title) });
    else [gap, at] = [numbers.get(item) ?? gap, 0];
  }
  return placed;
}
