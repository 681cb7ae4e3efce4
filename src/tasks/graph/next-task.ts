import type { Reader } from "../../store/port/db.ts";
import type { Task } from "./task.ts";
import { type TaskRow, taskOf } from "./task-row.ts";

/**
 * Parents whose children must not run: failed, blocked for their own reason, or below such a parent. A parent that is
 * blocked only because another task failed is not closed: its other children still run.
 */
const closedStatuses = `closed(id) AS (
  SELECT p.id FROM tasks p
   WHERE p.status IN ('failed', 'blocked')
     AND (p.status = 'failed' OR COALESCE(p.block_cause, '') NOT IN ('dependency', 'child'))
     AND EXISTS (SELECT 1 FROM tasks c WHERE c.parent_id = p.id)
  UNION
  SELECT c.id FROM tasks c JOIN closed ON c.parent_id = closed.id
   WHERE EXISTS (SELECT 1 FROM tasks g WHERE g.parent_id = c.id))`;

const ready = `t.status = 'pending'
   AND NOT EXISTS (SELECT 1 FROM dependencies d JOIN tasks b ON b.id = d.blocker_id
                    WHERE d.blocked_id = t.id AND b.status <> 'done' AND b.id <> ?)
   AND NOT EXISTS (SELECT 1 FROM tasks c WHERE c.parent_id = t.id AND c.status <> 'done' AND c.id <> ?)
   AND (t.parent_id IS NULL OR t.parent_id NOT IN (SELECT id FROM closed))`;

const inRunOrder = "ORDER BY t.priority, t.created_at, t.position, t.id";

/** A task that a person put first. A condition that the index on `position` serves, as the normal order has its own. */
const isFirst = "t.position < 0";

/**
 * Selects the task to work on (LOOP-2): pending, with its blockers and children done and no closed parent; one that a
 * person put first (TASK-10), or ordered by priority, creation, id. With `only`, selects among these tasks and their
 * descendants. With `mayStartRed`, selects among those that may begin while the project's verification fails; never selects `except`. `assumeDone`: as if
 * this task were done.
 */
export async function nextTask(
  q: Reader,
  only?: readonly string[],
  {
    mayStartRed = false,
    except = [],
    assumeDone = "",
  }: {
    readonly mayStartRed?: boolean;
    readonly except?: readonly string[];
    readonly assumeDone?: string;
  } = {},
): Promise<Task | undefined> {
  if (only?.length === 0) return undefined;
  const mayStart = mayStartRed ? `${ready} AND (t.allow_red <> 0 OR t.verification <> '[]')` : ready;
  const eligible =
    except.length === 0 ? mayStart : `${mayStart} AND t.id NOT IN (${except.map(() => "?").join(", ")})`;
  const params = [assumeDone, assumeDone, ...except];
  const row = only
    ? await q.get<TaskRow>(
        `WITH RECURSIVE ${closedStatuses}, wanted(id) AS (
           SELECT id FROM tasks WHERE id IN (${only.map(() => "?").join(", ")})
           UNION
           SELECT c.id FROM tasks c JOIN wanted ON c.parent_id = wanted.id)
         SELECT t.* FROM tasks t WHERE ${eligible} AND t.id IN (SELECT id FROM wanted)
         ORDER BY CASE WHEN ${isFirst} THEN t.position ELSE 0 END, t.priority, t.created_at, t.position, t.id LIMIT 1`,
        [...only, ...params],
      )
    : // The second part is evaluated only where the first finds none.
      await q.get<TaskRow>(
        `WITH RECURSIVE ${closedStatuses}
         SELECT * FROM (SELECT t.* FROM tasks t WHERE ${isFirst} AND ${eligible} ORDER BY t.position LIMIT 1) AS a
         UNION ALL
         SELECT * FROM (SELECT t.* FROM tasks t WHERE ${eligible} ${inRunOrder} LIMIT 1) AS b LIMIT 1`,
        [...params, ...params],
      );
  return row && taskOf(row);
}

/** Returns the tasks of `ids` that are ready, in the order in which they run. */
export async function readyAmong(q: Reader, ids: readonly string[]): Promise<readonly Task[]> {
  if (ids.length === 0) return [];
  const { sql, params } = q.dialect.inList("t.id", ids);
  const rows = await q.all<TaskRow>(
    `WITH RECURSIVE ${closedStatuses} SELECT t.* FROM tasks t WHERE ${ready} AND ${sql}`,
    ["", "", ...params],
  );
  return rows.map(taskOf).sort(inRunningOrder);
}

function inRunningOrder(a: Task, b: Task): number {
  const [first, second] = [Math.min(a.position, 0), Math.min(b.position, 0)];
  if (first !== second) return first - second;
  if (a.priority !== b.priority) return a.priority - b.priority;
  if (a.createdAt !== b.createdAt) return a.createdAt < b.createdAt ? -1 : 1;
  return a.position - b.position;
}
