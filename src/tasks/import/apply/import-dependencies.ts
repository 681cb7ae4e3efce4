import { RalphError } from "../../../base/errors.ts";
import type { Reader, Tx } from "../../../store/port/db.ts";
import {
  type Dependency,
  deleteDependency,
  insertDependency,
  readDependencies,
} from "../../graph/dependency-store.ts";
import { type ImportSource, inLine, isOpen, type MatchedTasks } from "../match/match-source.ts";

interface StatedOrder {
  readonly source: ImportSource;
  readonly matched: readonly MatchedTasks[];
  /** By key. */
  readonly ids: ReadonlyMap<string, string>;
}

/**
 * Writes the dependencies that a file states and returns the ids of the tasks whose dependencies changed. The file decides
 * between its own tasks; dependencies on other tasks come from a person or another file and stay. Throws RALPH_TASK_CYCLE
 * at the line of a dependency that closes a cycle. Does not update blocked tasks; `settleBlocks` does.
 */
export async function importDependencies(
  tx: Tx,
  { source, matched, ids }: StatedOrder,
  now: Date,
): Promise<ReadonlySet<string>> {
  const present = new Map<string, Set<string>>();
  for (const { taskId, blockerId } of await readDependencies(tx)) {
    present.set(taskId, (present.get(taskId) ?? new Set()).add(blockerId));
  }
  const { removed, added } = changesOf(matched, ids, present);
  // Deletes first, so that a file can reverse a dependency.
  for (const edge of removed) await deleteDependency(tx, edge, now);
  for (const { taskId, blockerId } of added) await insertDependency(tx, { taskId, blockerId }, now);
  if (added.length > 0) await refuseNewCycle(tx, { source, added });
  return new Set([...removed, ...added].map(({ taskId }) => taskId));
}

interface Changes {
  readonly removed: readonly Dependency[];
  readonly added: readonly (Dependency & { readonly match: MatchedTasks })[];
}

function changesOf(
  matched: readonly MatchedTasks[],
  ids: ReadonlyMap<string, string>,
  present: ReadonlyMap<string, ReadonlySet<string>>,
): Changes {
  const ours = new Set(ids.values());
  const changes = matched.map((match) => {
    const { imported, id: taskId, existing } = match;
    if (!imported.dependsOn || (existing && !isOpen(existing))) return { removed: [], added: [] };
    const wanted = new Set(imported.dependsOn.map((key) => ids.get(key) ?? key));
    const had = present.get(taskId) ?? new Set();
    const gone = [...had].filter((blockerId) => ours.has(blockerId) && !wanted.has(blockerId));
    const fresh = [...wanted].filter((blockerId) => !had.has(blockerId));
    return {
      removed: gone.map((blockerId) => ({ taskId, blockerId })),
      added: fresh.map((blockerId) => ({ taskId, blockerId, match })),
    };
  });
  return { removed: changes.flatMap(({ removed }) => removed), added: changes.flatMap(({ added }) => added) };
}

interface AddedEdges extends Pick<Changes, "added"> {
  readonly source: ImportSource;
}

/** Checks the whole graph once: a check per edge would be quadratic for a long chain. */
async function refuseNewCycle(q: Reader, { source, added }: AddedEdges): Promise<void> {
  const cycle = findCycle(await readWaits(q));
  if (!cycle) return;
  const steps = new Set(cycle.map((id, at) => `${id}\n${cycle[at + 1]}`));
  const edge = added.find(({ taskId, blockerId }) => steps.has(`${taskId}\n${blockerId}`)) ?? added[0];
  if (!edge) return;
  const { taskId, blockerId, match } = edge;
  // The message begins with the task.
  const first = cycle.indexOf(taskId);
  const round = first < 0 ? cycle : [...cycle.slice(first, -1), ...cycle.slice(0, first + 1)];
  const error = new RalphError(
    "RALPH_TASK_CYCLE",
    `Task ${taskId} cannot wait for ${blockerId}: ${round.join(" → ")} is a cycle.`,
    { hint: "each task waits for the next, and a parent for its children; remove one step from the file" },
  );
  throw inLine(source, match.imported, error);
}

/** Returns the blockers and children of each task, for which it waits. */
async function readWaits(q: Reader): Promise<ReadonlyMap<string, readonly string[]>> {
  const waitsFor = new Map<string, string[]>();
  const add = (waiter: string, waitedFor: string): void => {
    const list = waitsFor.get(waiter);
    if (list) list.push(waitedFor);
    else waitsFor.set(waiter, [waitedFor]);
  };
  for (const { taskId, blockerId } of await readDependencies(q)) add(taskId, blockerId);
  const children = await q.all<{ id: string; parent: string }>(
    "SELECT id, parent_id AS parent FROM tasks WHERE parent_id IS NOT NULL",
  );
  for (const { id, parent } of children) add(parent, id);
  return waitsFor;
}

/** Returns the ids of one cycle, with the first repeated at the end; each waits for the next. */
export function findCycle(waitsFor: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const finished = new Set<string>();
  for (const start of waitsFor.keys()) {
    if (finished.has(start)) continue;
    // Iterative: a chain can be as long as the list.
    const trail = new Map([[start, 0]]);
    const steps = [start];
    for (let top = steps.at(-1); top !== undefined; top = steps.at(-1)) {
      const at = trail.get(top) ?? 0;
      const next = waitsFor.get(top)?.[at];
      trail.set(top, at + 1);
      if (next === undefined) {
        finished.add(top);
        trail.delete(top);
        steps.pop();
      } else if (trail.has(next)) return [...steps.slice(steps.indexOf(next)), next];
      else if (!finished.has(next)) {
        trail.set(next, 0);
        steps.push(next);
      }
    }
  }
  return undefined;
}
