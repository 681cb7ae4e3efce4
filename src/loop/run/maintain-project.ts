import { maintainMetrics } from "../../strategy/task-metrics.ts";
import type { Loop } from "../loop.ts";

type Maintained = Pick<Loop, "clock" | "db" | "memory" | "options" | "runId">;

/** Maintains memory and archives old strategy metrics, within limits. `signal` ends it between two steps. Never throws. */
export async function maintainProject(
  { memory, db, runId, clock, options }: Maintained,
  signal?: AbortSignal,
): Promise<void> {
  await memory.maintain(db, runId, signal);
  if (signal?.aborted) return;
  await maintainMetrics(db, { metricsMs: options.memory.prune.metricsMs, runId, now: clock.now() });
}
