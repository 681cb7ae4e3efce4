import type { Reader, Tx } from "../../store/port/db.ts";

/** Returns the ref under which a task's changes wait for its retry, in whatever tree that is; null: none wait. */
export async function readSalvage(q: Reader, taskId: string): Promise<string | null> {
  const row = await q.get<{ ref: string }>("SELECT ref FROM salvages WHERE task_id = ?", [taskId]);
  return row?.ref ?? null;
}

/** Records that a task's changes wait under `ref`; null: they wait nowhere. */
export async function writeSalvage(tx: Tx, taskId: string, ref: string | null): Promise<void> {
  if (ref === null) {
    await tx.run("DELETE FROM salvages WHERE task_id = ?", [taskId]);
    return;
  }
  await tx.run(
    "INSERT INTO salvages (task_id, ref) VALUES (?, ?) ON CONFLICT (task_id) DO UPDATE SET ref = excluded.ref",
    [taskId, ref],
  );
}
