import type { Tx } from "../../store/port/db.ts";
import type { ProjectOrigin } from "../port/hivemind-settings.ts";
import { successId } from "./describe-outcome.ts";
import { attemptEntries, markEntries } from "./entry-store.ts";

/**
 * Marks the records of a task's verified successes as leaving the hivemind, also those that are not stored there yet; the next
 * delivery deletes them. Records of its failures stay. `origin` is null where the hivemind is off.
 */
export async function withdrawWork(
  tx: Tx,
  taskId: string,
  { origin, now }: { readonly origin: ProjectOrigin | null; readonly now: Date },
): Promise<void> {
  const entries = await attemptEntries(tx, taskId);
  const ids = origin === null ? new Set() : await successIds(tx, taskId, origin);
  const successes = entries.filter(({ id, memory }) => (memory ? memory.type === "success" : ids.has(id)));
  // The task has another title since, or a program gave the records ids of its own: better none than one of undone work.
  const leaving = successes.length > 0 ? successes : entries;
  await markEntries(
    tx,
    leaving.map(({ id }) => id),
    "leaving",
    { now },
  );
}

async function successIds(tx: Tx, taskId: string, origin: ProjectOrigin): Promise<ReadonlySet<string>> {
  const rows = await tx.all<{ title: string; iterationId: string }>(
    `SELECT t.title, o.iteration_id AS "iterationId" FROM iteration_outcomes o JOIN tasks t ON t.id = o.task_id
     WHERE o.task_id = ? AND o.outcome = 'done' AND o.iteration_id IS NOT NULL`,
    [taskId],
  );
  return new Set(rows.map(({ title, iterationId }) => successId(origin, { taskId, title, iterationId })));
}
