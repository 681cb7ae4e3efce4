import type { TaskCounts } from "../events/run-events.ts";
import type { AgentLimits } from "./agent-limits.ts";
import type { Loop } from "./loop.ts";
import type { Progress } from "./stop-rules.ts";

/** A long run does not wait for its end to put memory in order. */
const tendEvery = 10;

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
  tendedAt: number;
  costUsd: number;
  costKnown: boolean;
  /** Tasks lost to a person or another run since an iteration was judged. */
  lost: number;
  /** Of each agent, since one of its iterations was judged. */
  readonly interruptions: Map<string, number>;
  /** The agent that stands in for a limited one, so that it is told once. */
  standIn: string | null;
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
    tendedAt: 0,
    costUsd: 0,
    costKnown: false,
    lost: 0,
    interruptions: new Map(),
    standIn: null,
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
export function isTimeToTend(state: RunState): boolean {
  if (state.iterations < state.tendedAt + tendEvery) return false;
  state.tendedAt = state.iterations;
  return true;
}
