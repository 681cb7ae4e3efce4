import type { Tx } from "../store/db.ts";
import { clearMetrics } from "./strategy/strategy-store.ts";

/** For `task reset` and `task split`: the task is no longer stuck and has no failures in a row. Its history stays. */
export async function resetStrategy(tx: Tx, taskId: string, now: Date): Promise<void> {
  await clearMetrics(tx, taskId, now);
}
