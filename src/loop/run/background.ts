import type { Pacer } from "../../base/clock.ts";
import type { EventLog } from "../../events/event-log.ts";
import type { Db, TransactionOptions, Tx } from "../../store/db.ts";
import { openSlices } from "./slices.ts";

/** Work that the loop does while it waits for a process, so that the next agent does not wait for it. */
export interface Background {
  /** Commits a transaction. Its events are written to the log a moment later, when the loop waits for a process. */
  commit<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Starts `work`, after other started work that still runs. Call it when the loop has just started a process. */
  start(work: () => Promise<void>): void;
  /**
   * Keeps `work` for the first agent that runs long enough; replaces work that has not begun. Work that its agent does
   * not outlast pauses, and continues beside the next one that runs long enough.
   */
  queue(work: (pacer: Pacer) => Promise<void>): void;
  /** Waits for an agent. Queued work runs beside it once it has run for a second, and pauses when it ends. */
  during<T>(agent: Promise<T>): Promise<T>;
  /** Waits until no started work runs. Queued work is dropped; if it has begun, it ends at its next pause. */
  finish(): Promise<void>;
}

/** An agent that has run this long (ms) usually runs for minutes. */
const minAgentMs = 1000;

export function openBackground({ db, log }: { readonly db: Db; readonly log: EventLog }): Background {
  let started: Promise<void> = Promise.resolve();
  const slices = openSlices();

  return {
    commit: async (work, options = {}) => {
      const result = await db.transaction(work, options);
      await log.flushLater();
      return result;
    },
    start: (work) => {
      started = started.then(work).catch(() => undefined);
    },
    queue: (work) => slices.queue(work),
    during: async (agent) => {
      const timer = setTimeout(() => slices.resume(), minAgentMs);
      timer.unref();
      try {
        return await agent;
      } finally {
        clearTimeout(timer);
        slices.suspend();
      }
    },
    finish: async () => {
      await slices.cancel();
      await started;
    },
  };
}
