import type { Tx } from "../../store/port/db.ts";
import { changeStatus } from "./change-status.ts";
import { inLists } from "./sql-list.ts";
import type { Task } from "./task.ts";
import { waitersOf } from "./wait-path.ts";

/**
 * A parent without verification is done when its children and blockers are done. The attempt limit does not block it,
 * because its own attempts no longer matter.
 */
const completesWithChildren = `(t.status = 'pending' OR (t.status = 'blocked' AND t.block_cause = 'attempts'))
   AND t.verification = '[]'
   AND EXISTS (SELECT 1 FROM tasks c WHERE c.parent_id = t.id)
   AND NOT EXISTS (SELECT 1 FROM tasks c WHERE c.parent_id = t.id AND c.status <> 'done')
   AND NOT EXISTS (SELECT 1 FROM dependencies d JOIN tasks b ON b.id = d.blocker_id
                    WHERE d.blocked_id = t.id AND b.status <> 'done')`;

/** Completes the parents that waited only for `done`, then those that waited for these, and so on. */
export async function completeWaiting(
  tx: Tx,
  done: readonly string[],
  runId: string | null,
  now: Date,
): Promise<readonly Task[]> {
  const completed: Task[] = [];
  let frontier = done;
  while (frontier.length > 0) {
    const waiters = new Set((await waitersOf(tx, frontier)).map(({ waiter }) => waiter));
    const next: Task[] = [];
    for (const { sql, params } of inLists([...waiters])) {
      const parents = await tx.all<{ id: string }>(
        `SELECT t.id FROM tasks t WHERE t.id IN ${sql} AND ${completesWithChildren} ORDER BY t.position, t.id`,
        params,
      );
      for (const { id } of parents)
        next.push(await changeStatus(tx, { id, status: "done", type: "task.done", runId }, now));
    }
    for (const one of next) completed.push(one);
    frontier = next.map(({ id }) => id);
  }
  return completed;
}
