import { setImmediate as nextTurn, setTimeout as sleepFor } from "node:timers/promises";

/** Time as an argument, so that tests can control it: wall time for records, monotonic time for durations. */
export interface Clock {
  now(): Date;
  /** Milliseconds that never decrease. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when `signal` is aborted; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await sleepFor(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
  },
};

/** Divides background work into slices of some milliseconds, so that it never delays other work of the process for longer. */
export interface Pacer {
  /** Aborted when the work must end. */
  readonly signal: AbortSignal;
  /**
   * Resolves when the work may continue: at once within a slice, else after other work has run. Call it between short
   * pieces of work, outside any transaction. Rejects once `signal` is aborted.
   */
  pause(): Promise<void>;
}

/** Milliseconds for which signals and timers wait at most, besides the longest step. */
const maxBusyMs = 20;

/** Returns what long work awaits after each step, so that signals and timers have their turn meanwhile. */
export function openTurns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < maxBusyMs) return;
    await nextTurn();
    since = performance.now();
  };
}
