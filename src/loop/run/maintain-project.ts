import type { Pacer } from "../../base/clock.ts";
import { maintainMetrics } from "../../strategy/task-metrics.ts";
import type { Loop } from "../rows/loop.ts";

type Maintained = Pick<Loop, "clock" | "db" | "memory" | "options" | "runId">;

/** Maintains memory and deletes old strategy metrics, within limits. A pacer divides it into slices. Never throws. */
export async function maintainProject(
  { memory, db, runId, clock, options }: Maintained,
  pacer?: Pacer,
): Promise<void> {
  await memory.maintain(db, runId, pacer);
  const { metricsMs } = options.memory.prune;
  await maintainMetrics(db, { metricsMs, runId, now: clock.now(), pacer });
}
