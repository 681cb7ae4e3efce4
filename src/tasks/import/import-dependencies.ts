import { RalphError } from "../../base/errors.ts";
import type { Reader, Tx } from "../../store/db.ts";
import {
  type Dependency,
  deleteDependency,
  insertDependency,
  readDependencies,
} from "../graph/dependency-store.ts";
import { type ImportSource, inLine, isOpen, type MatchedTasks } from "./match-source.ts";

interface Stated {
  readonly source: ImportSource;
  readonly matched: readonly MatchedTasks[];
  /** By key. */
  readonly ids: ReadonlyMap<string, string>;
}

/**
 * Writes what a file says of the order of its tasks, and returns the ids of those whose dependencies changed. Between
 * tasks of one file the file decides. What a task waits for elsewhere was said by a person or another file: it stays.
 * RALPH_TASK_CYCLE at the line of a dependency that closes one. Blocked tasks are for `settleBlocks`.
 */
export async function importDependencies(
  tx: Tx,
  { source, matched, ids }: Stated,
  now: Date,
): Promise<ReadonlySet<string>> {
  const present = new Map<string, Set<string>>();
  for (const { taskId, blockerId } of await readDependencies(tx)) {
    present.set(taskId, (present.get(taskId) ?? new Set()).add(blockerId));
  }
  const { removed, added } = changesOf(matched, ids, present);
  // All that goes first, so that an edge may be turned round.
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

interface Added extends Pick<Changes, "added"> {
  readonly source: ImportSource;
}

/** One look at the whole graph: to ask for each edge anew takes the square of a long chain. */
async function refuseNewCycle(q: Reader, { source, added }: Added): Promise<void> {
  const cycle = findCycle(await waits(q));
  if (!cycle) return;
  const steps = new Set(cycle.map((id, at) => `${id}\n${cycle[at + 1]}`));
  const edge = added.find(({ taskId, blockerId }) => steps.has(`${taskId}\n${blockerId}`)) ?? added[0];
  if (!edge) return;
  const { taskId, blockerId, match } = edge;
  // Told from the task on.
  const first = cycle.indexOf(taskId);
  const round = first < 0 ? cycle : [...cycle.slice(first, -1), ...cycle.slice(0, first + 1)];
  const error = new RalphError(
    "RALPH_TASK_CYCLE",
    `Task ${taskId} cannot wait for ${blockerId}: ${round.join(" → ")} is a cycle.`,
    { hint: "each waits for the next, and a parent for its children; take one step out of the file" },
  );
  throw inLine(source, match.imported, error);
}

/** What each task waits for: what it depends on, and its children. */
async function waits(q: Reader): Promise<ReadonlyMap<string, readonly string[]>> {
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

/** The ids of one cycle, the first of them again at the end; each waits for the next. */
export function findCycle(waitsFor: ReadonlyMap<string, readonly string[]>): readonly string[] | undefined {
  const finished = new Set<string>();
  for (const start of waitsFor.keys()) {
    if (finished.has(start)) continue;
    // A loop, not a recursion: a chain may be as long as the list.
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
