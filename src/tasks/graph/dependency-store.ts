import { record } from "../../events/event-store.ts";
import type { Reader, Tx } from "../../store/port/db.ts";

/** `taskId` waits for `blockerId`. */
export interface Dependency {
  readonly taskId: string;
  readonly blockerId: string;
}

/** Adds a dependency. Returns false if it already exists. */
export async function insertDependency(tx: Tx, edge: Dependency, now: Date): Promise<boolean> {
  const row = { blocker_id: edge.blockerId, blocked_id: edge.taskId };
  const added = await tx.run(
    "INSERT INTO dependencies (blocker_id, blocked_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
    [row.blocker_id, row.blocked_id],
  );
  if (added === 0) return false;
  await record(tx, { type: "dependency.added", data: { ...edge } }, now);
  return true;
}

/** Deletes a dependency. Returns false if it does not exist. */
export async function deleteDependency(tx: Tx, edge: Dependency, now: Date): Promise<boolean> {
  const row = { blocker_id: edge.blockerId, blocked_id: edge.taskId };
  const deleted = await tx.run("DELETE FROM dependencies WHERE blocker_id = ? AND blocked_id = ?", [
    row.blocker_id,
    row.blocked_id,
  ]);
  if (deleted === 0) return false;
  await record(tx, { type: "dependency.removed", data: { ...edge } }, now);
  return true;
}

export async function readDependencies(q: Reader): Promise<readonly Dependency[]> {
  return q.all<Dependency>(
    `SELECT blocked_id AS "taskId", blocker_id AS "blockerId" FROM dependencies ORDER BY blocked_id, blocker_id`,
  );
}

export async function readBlockers(q: Reader, taskId: string): Promise<readonly string[]> {
  const rows = await q.all<{ id: string }>(
    "SELECT blocker_id AS id FROM dependencies WHERE blocked_id = ? ORDER BY blocker_id",
    [taskId],
  );
  return rows.map(({ id }) => id);
}
