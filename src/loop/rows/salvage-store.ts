import { lastEvents, maxRows } from "../../events/event-store.ts";
import type { RunEvents } from "../../events/run-events.ts";
import type { SavedWork } from "../../events/run-summary.ts";
import type { Reader, Tx } from "../../store/port/db.ts";
import { insertRow } from "../../store/port/rows.ts";

/** Returns the ref under which a task's changes wait for its retry, in whatever tree that is; null: none wait. */
export async function readSalvage(q: Reader, taskId: string): Promise<string | null> {
  const row = await q.get<{ ref: string }>("SELECT ref FROM salvages WHERE task_id = ?", [taskId]);
  return row?.ref ?? null;
}

/** Records that a task's changes wait under `ref`; null: they wait nowhere. */
export async function writeSalvage(tx: Tx, taskId: string, ref: string | null): Promise<void> {
  if (ref === null) await tx.run("DELETE FROM salvages WHERE task_id = ?", [taskId]);
  else await insertRow(tx, "salvages", { task_id: taskId, ref }, ["task_id"]);
}

/** Returns what left the person's tree with unfinished work in a run and is not back, as far back as events are kept. */
export async function savedInRun(q: Reader, runId: string): Promise<readonly SavedWork[]> {
  const saved = new Map<string, SavedWork>();
  for (const { type, data, runId: by } of await lastEvents(q, "salvage.", maxRows)) {
    const { taskId, ref, files, paths, conflicts, isolated } = JSON.parse(data) as Partial<
      RunEvents["salvage.saved"] & RunEvents["salvage.restored"]
    >;
    // Erased with its run.
    if (taskId === undefined || ref === undefined) continue;
    if (type === "salvage.saved" && by === runId && !isolated && files && paths)
      saved.set(ref, { taskId, ref, files, paths });
    else if (!conflicts?.length) saved.delete(ref);
  }
  return [...saved.values()];
}
