import type { Reader } from "../../store/port/db.ts";
import type { Task } from "./task.ts";
import { type TaskRow, taskOf } from "./task-row.ts";
import { waitersOf } from "./wait-path.ts";

interface CompletionEffects {
  /** The parents that are done with the task: those that wait for nothing else, then those that wait only for these, and so on. */
  readonly parents: readonly Task[];
  /** The tasks that wait for the task or for one of these parents. */
  readonly waiters: readonly string[];
}

/** Returns the effects of completing a task, whether it is completed yet or not. */
export async function effectsOfCompletion(q: Reader, id: string): Promise<CompletionEffects> {
  const parents: Task[] = [];
  const waiters = new Set<string>();
  for (let frontier = [id]; frontier.length > 0; ) {
    const found = (await waitersOf(q, frontier)).map(({ waiter }) => waiter);
    for (const waiter of found) waiters.add(waiter);
    const next = await completedParents(q, found, [id, ...parents.map((parent) => parent.id)]);
    for (const parent of next) parents.push(parent);
    frontier = next.map((parent) => parent.id);
  }
  return { parents, waiters: [...waiters] };
}

/**
 * Returns the tasks of `ids` that are done once `done` are: a parent without verification is done when its children and
 * blockers are done. The attempt limit does not block it, because its own attempts no longer matter.
 */
async function completedParents(
  q: Reader,
  ids: readonly string[],
  done: readonly string[],
): Promise<readonly Task[]> {
  if (ids.length === 0) return [];
  const among = q.dialect.inList("t.id", ids);
  const [child, blocker] = [q.dialect.inList("c.id", done), q.dialect.inList("b.id", done)];
  const rows = await q.all<TaskRow>(
    `SELECT t.* FROM tasks t WHERE ${among.sql}
       AND (t.status = 'pending' OR (t.status = 'blocked' AND t.block_cause = 'attempts'))
       AND t.verification = '[]'
       AND EXISTS (SELECT 1 FROM tasks c WHERE c.parent_id = t.id)
       AND NOT EXISTS (SELECT 1 FROM tasks c WHERE c.parent_id = t.id AND c.status <> 'done' AND NOT (${child.sql}))
       AND NOT EXISTS (SELECT 1 FROM dependencies d JOIN tasks b ON b.id = d.blocker_id
                        WHERE d.blocked_id = t.id AND b.status <> 'done' AND NOT (${blocker.sql}))
     ORDER BY t.position, t.id`,
    [...among.params, ...child.params, ...blocker.params],
  );
  return rows.map(taskOf);
}
