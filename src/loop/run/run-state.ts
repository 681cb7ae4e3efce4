import type { AgentLimits } from "../../agents/agent-limits.ts";
import type { TaskCounts } from "../../events/run-events.ts";
import type { Loop } from "../loop.ts";
import type { Progress } from "./stop-rules.ts";

/** A long run does not wait for its end to put memory in order. */
const maintainEvery = 10;

/** What a run keeps in mind between its iterations. */
export interface RunState {
  readonly startedMs: number;
  /** Does not count towards --max-duration. */
  pausedMs: number;
  readonly limits: AgentLimits;
  /** Begun, interrupted ones too: what an iteration's number counts. */
  started: number;
  /** Judged. */
  iterations: number;
  /** How many were judged when memory was last put in order. */
  maintainedAt: number;
  costUsd: number;
  costKnown: boolean;
  /** Tasks lost to a person or another run since an iteration was judged. */
  lostClaims: number;
  /** Of each agent, since one of its iterations was judged. */
  readonly interruptions: Map<string, number>;
  /** The agent that stands in for a limited one, so that it is told once. */
  fallback: string | null;
  /** As far as this run knows: for when the store cannot be asked any more. */
  counts: TaskCounts;
}

/** The state of a run that begins now. */
export function beginState(loop: Pick<Loop, "clock">, counts: TaskCounts): RunState {
  return {
    startedMs: loop.clock.monotonic(),
    pausedMs: 0,
    limits: new Map(),
    started: 0,
    iterations: 0,
    maintainedAt: 0,
    costUsd: 0,
    costKnown: false,
    lostClaims: 0,
    interruptions: new Map(),
    fallback: null,
    counts,
  };
}

/** How far the run is, for its limits. */
export function progressOf(loop: Loop, state: RunState): Progress {
  const elapsedMs = workedMs(loop, state);
  return { iterations: state.iterations, costUsd: state.costUsd, elapsedMs };
}

/** Milliseconds without the pauses. */
function workedMs(loop: Loop, state: RunState): number {
  return loop.clock.monotonic() - state.startedMs - state.pausedMs;
}

/** Milliseconds until the run's deadline, at least 1; null when it has none. */
export function remaining(loop: Loop, state: RunState): number | null {
  const { maxDurationMs } = loop.options;
  if (maxDurationMs === null) return null;
  return Math.max(1, maxDurationMs - workedMs(loop, state));
}

/** True once in so many judged iterations, however often the next one is interrupted. */
export function maintenanceDue(state: RunState): boolean {
  if (state.iterations < state.maintainedAt + maintainEvery) return false;
  state.maintainedAt = state.iterations;
  return true;
}
