import { maintainMetrics } from "../../strategy/task-metrics.ts";
import type { Loop } from "../loop.ts";

/** Maintains memory and archives old strategy metrics, within limits. Never throws. */
export async function maintainProject({ memory, db, runId, clock, options }: Loop): Promise<void> {
  await memory.maintain(db, runId);
  await maintainMetrics(db, { metricsMs: options.pruneMetricsMs, runId, now: clock.now() });
}
