import type { Reader } from "../../store/port/db.ts";
import type { TaskStatus } from "./task.ts";

/** `waiter` cannot finish before `waitedFor`: it depends on it or is its parent. */
export interface Wait {
  readonly waitedFor: string;
  readonly waiter: string;
  readonly kind: "dependency" | "child";
  readonly waiterStatus: TaskStatus;
}

/** Returns the direct waiters of `ids`: their dependents and their parents. */
export async function waitersOf(q: Reader, ids: readonly string[]): Promise<readonly Wait[]> {
  if (ids.length === 0) return [];
  const [blocker, child] = [q.dialect.inList("d.blocker_id", ids), q.dialect.inList("c.id", ids)];
  return q.all<Wait>(
    `SELECT d.blocker_id AS "waitedFor", w.id AS "waiter", 'dependency' AS "kind", w.status AS "waiterStatus"
       FROM dependencies d JOIN tasks w ON w.id = d.blocked_id WHERE ${blocker.sql}
     UNION ALL
     SELECT c.id, w.id, 'child', w.status FROM tasks c JOIN tasks w ON w.id = c.parent_id WHERE ${child.sql}
     ORDER BY 1, 3, 2`,
    [...blocker.params, ...child.params],
  );
}

/** Returns the shortest path from `from` to `to` in which each id waits for the one before it; undefined if none. */
export async function waitPath(q: Reader, from: string, to: string): Promise<readonly string[] | undefined> {
  const cameFrom = new Map<string, string | null>([[from, null]]);
  let frontier: readonly string[] = [from];
  while (frontier.length > 0 && !cameFrom.has(to)) {
    const next: string[] = [];
    for (const { waitedFor, waiter } of await waitersOf(q, frontier)) {
      if (cameFrom.has(waiter)) continue;
      cameFrom.set(waiter, waitedFor);
      next.push(waiter);
    }
    frontier = next;
  }
  if (!cameFrom.has(to)) return undefined;
  const path: string[] = [];
  for (let at: string | null | undefined = to; at; at = cameFrom.get(at)) path.unshift(at);
  return path;
}
