import { setTimeout as after } from "node:timers/promises";
import type { Pacer } from "../../base/clock.ts";

/** Length of a slice (ms), without the piece of work that exceeds it. */
const sliceMs = 8;
/** Time between two slices (ms), in which the loop can learn that its agent ended and allow no further slice. */
const restMs = 25;

type SlicedWork = (pacer: Pacer) => Promise<void>;

/** Runs work in short slices, at the times when the loop allows it. */
interface Slices {
  /** Keeps `work` until slices are allowed and no other work has begun; replaces work that is kept. */
  queue(work: SlicedWork): void;
  /** Allows slices until `suspend`. Continues the work that has begun, else begins the kept work. */
  resume(): void;
  /** Allows no slice after the current one. */
  suspend(): void;
  /** Drops the kept work, ends work that has begun at its next pause, and waits for that. */
  cancel(): Promise<void>;
}

export function openSlices(): Slices {
  const cancelled = new AbortController();
  const { signal } = cancelled;
  let kept: SlicedWork | undefined;
  let running: Promise<void> | undefined;
  let allowed = false;
  let wake = (): void => undefined;
  let sliceEnd = 0;

  const beginSlice = (): void => {
    sliceEnd = performance.now() + sliceMs;
  };
  const allow = (): void => {
    allowed = true;
    wake();
  };
  const pause = async (): Promise<void> => {
    signal.throwIfAborted();
    if (allowed && performance.now() < sliceEnd) return;
    await after(restMs, undefined, { signal });
    while (!allowed) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    signal.throwIfAborted();
    beginSlice();
  };

  return {
    queue: (work) => {
      kept = work;
    },
    resume: () => {
      allow();
      if (running || !kept || signal.aborted) return;
      const work = kept;
      kept = undefined;
      beginSlice();
      running = work({ signal, pause })
        .catch(() => undefined)
        .finally(() => {
          running = undefined;
        });
    },
    suspend: () => {
      allowed = false;
    },
    cancel: async () => {
      kept = undefined;
      cancelled.abort();
      allow();
      await running;
    },
  };
}
