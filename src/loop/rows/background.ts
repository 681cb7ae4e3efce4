import { setTimeout as after } from "node:timers/promises";
import type { Pacer } from "../../base/clock.ts";

/** Work that the loop does while it waits for a process, so that the next agent does not wait for it. */
export interface Background {
  /** Starts `work`, after other started work that still runs. Call it when the loop has just started a process. */
  start(work: () => Promise<void>): void;
  /**
   * Keeps `work` until an agent has run for a moment, and starts it then; `finish` starts what is left. Replaces work of
   * the same name that has not begun.
   */
  postpone(name: string, work: () => Promise<void>): void;
  /**
   * Keeps `work` for the first agent that runs long enough; replaces work that has not begun. Work that its agent does
   * not outlast pauses, and continues beside the next one that runs long enough.
   */
  queue(work: (pacer: Pacer) => Promise<void>): void;
  /**
   * Waits for an agent, or for what else takes long. Postponed work runs beside it once it has run for a moment, queued
   * work once it has run for a second, and that pauses when the agent ends.
   */
  during<T>(agent: Promise<T>): Promise<T>;
  /** Starts postponed work and waits until no started work runs. Queued work is dropped; if it has begun, it ends at its next pause. */
  finish(): Promise<void>;
}

/** An agent that ends sooner (ms) would wait for postponed work. */
const minMomentMs = 50;
/** An agent that has run this long (ms) usually runs for minutes. */
const minAgentMs = 1000;
/** Postponed work is not kept beyond this number: each keeps a prompt in memory. */
const maxPostponed = 20;
/** Length of a slice of queued work (ms), without the piece of work that exceeds it. */
const sliceMs = 8;
/** Time between two slices (ms), in which the loop can learn that its agent ended and allow no further slice. */
const restMs = 25;

type QueuedWork = Parameters<Background["queue"]>[0];

export function openBackground(): Background {
  let started: Promise<void> = Promise.resolve();
  const postponed = new Map<string, () => Promise<void>>();
  let queued: QueuedWork | undefined;
  let running: Promise<void> | undefined;
  let [isAllowed, sliceEnd] = [false, 0];
  const cancelled = new AbortController();
  const { signal } = cancelled;

  const start = (work: () => Promise<void>): void => {
    started = started.then(work).catch(() => undefined);
  };
  const startPostponed = (): void => {
    const works = [...postponed.values()];
    postponed.clear();
    works.forEach(start);
  };
  const pause = async (): Promise<void> => {
    signal.throwIfAborted();
    if (isAllowed && performance.now() < sliceEnd) return;
    do await after(restMs, undefined, { signal });
    while (!isAllowed);
    sliceEnd = performance.now() + sliceMs;
  };
  /** Allows slices: of the work that has begun, else of the queued work. */
  const resume = (): void => {
    isAllowed = true;
    if (running || !queued || signal.aborted) return;
    const work = queued;
    queued = undefined;
    sliceEnd = performance.now() + sliceMs;
    running = work({ signal, pause })
      .catch(() => undefined)
      .finally(() => {
        running = undefined;
      });
  };

  return {
    start,
    postpone: (name, work) => {
      postponed.set(name, work);
      if (postponed.size > maxPostponed) startPostponed();
    },
    queue: (work) => {
      queued = work;
    },
    during: async (agent) => {
      const timers = [
        setTimeout(startPostponed, minMomentMs).unref(),
        setTimeout(resume, minAgentMs).unref(),
      ];
      try {
        return await agent;
      } finally {
        timers.forEach(clearTimeout);
        isAllowed = false;
      }
    },
    finish: async () => {
      startPostponed();
      queued = undefined;
      cancelled.abort();
      await running;
      await started;
    },
  };
}
