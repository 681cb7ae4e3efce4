import type { EventLog } from "../../events/event-log.ts";
import type { Db, TransactionOptions, Tx } from "../../store/db.ts";

/** Work that can be done at any time. It checks `signal` where it can end early, and never throws. */
type BackgroundWork = (signal: AbortSignal) => Promise<void>;

/** Work that the loop does while it waits for a process, so that the next agent does not wait for it. */
export interface Background {
  /** Commits a transaction. Its events are written to the log a moment later, when the loop waits for a process. */
  commit<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Starts `work`, after background work that still runs. Call it when the loop has just started a process. */
  start(work: BackgroundWork): void;
  /** Keeps `work` for the first agent that runs long enough; replaces work that is still waiting for one. */
  queue(work: BackgroundWork): void;
  /** Waits for an agent. Starts the queued work once the agent has run for a second, and ends it with the agent. */
  during<T>(agent: Promise<T>): Promise<T>;
  /** Waits until no background work runs. Queued work is dropped. */
  finish(): Promise<void>;
}

/** An agent that has run this long (ms) usually runs for minutes: work of some 300 ms then fits into its session. */
const minAgentMs = 1000;

export function openBackground({ db, log }: { readonly db: Db; readonly log: EventLog }): Background {
  let running: Promise<void> = Promise.resolve();
  let queued: BackgroundWork | undefined;

  const start = (work: BackgroundWork, signal: AbortSignal): void => {
    running = running.then(() => (signal.aborted ? undefined : work(signal))).catch(() => undefined);
  };

  return {
    commit: async (work, options = {}) => {
      const result = await db.transaction(work, options);
      await log.flushLater();
      return result;
    },
    start: (work) => start(work, new AbortController().signal),
    queue: (work) => {
      queued = work;
    },
    during: async (agent) => {
      const ended = new AbortController();
      const timer = setTimeout(() => {
        if (queued) start(queued, ended.signal);
        queued = undefined;
      }, minAgentMs);
      timer.unref();
      try {
        return await agent;
      } finally {
        clearTimeout(timer);
        ended.abort();
      }
    },
    finish: () => {
      queued = undefined;
      return running;
    },
  };
}
