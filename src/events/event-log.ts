import { closeSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../base/clock.ts";
import type { Db, Tx } from "../store/db.ts";
import type { EventInput, EventListener, RalphEvent } from "./event.ts";
import { appendLines, type LogEnd, openLogFile, readLogEnd } from "./log/log-file.ts";
import { toLogEvent, toTransientEvent } from "./log/log-line.ts";
import { takeSnapshot } from "./log/snapshot.ts";
import { hasPending, readPending, removePending } from "./outbox-store.ts";

/** What happened, for the log and for whoever listens in this process. */
export interface EventLog {
  /**
   * Brings recorded events to the log, in order, and then to the listeners: those of other processes too, where
   * they wait. Safe to call at any time outside a transaction, by many processes. Errors: `RALPH_STORE_` + `LOCKED`,
   * `FULL`, `READ_ONLY`, `IO`, `PATH`; the events then wait for the next call.
   */
  flush(): Promise<void>;
  /**
   * The same a moment later, when this process most likely waits for another: what an iteration tells need not hold it
   * up. What is published until then follows after. What went wrong with the call before is thrown here.
   */
  flushLater(): Promise<void>;
  /** Tells the listeners only: for what nobody needs to know afterwards. */
  publish(event: EventInput): void;
  /** Returns the function that ends it. What a listener throws is dropped: it must not stop what it only watches. */
  subscribe(listener: EventListener): () => void;
}

interface LogOptions {
  readonly db: Db;
  /** `.ralph/events.jsonl`; its folder exists. */
  readonly file: string;
  readonly clock: Clock;
}

/** By then the loop has started the process that it goes on with, and waits for it. */
const flushDelayMs = 3;

export function openEventLog({ db, file, clock }: LogOptions): EventLog {
  const listeners = new Set<EventListener>();

  const tell = (event: RalphEvent): void => {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch {
        // By contract.
      }
    }
  };

  const flush = async (): Promise<void> => {
    if (!(await hasPending(db))) return;
    // The log is on the disk by then; events that come back into the outbox are found there.
    const events = await db.transaction((tx) => moveToLog(tx, file, clock.now()), { durable: false });
    for (const event of events) tell(event);
  };

  let last: Promise<void> = Promise.resolve();
  /** Scheduled flushes that have not ended; what is published waits for them, to come in its order. */
  let scheduled = 0;
  const published: RalphEvent[] = [];
  const flushLater = async (): Promise<void> => {
    try {
      await setTimeout(flushDelayMs);
      await flush();
    } finally {
      scheduled -= 1;
      if (scheduled === 0) for (const event of published.splice(0)) tell(event);
    }
  };

  return {
    flush,
    flushLater: async () => {
      const before = last;
      scheduled += 1;
      last = flushLater();
      // Thrown by the next call.
      last.catch(() => undefined);
      await before;
    },
    publish: (event) => {
      const passing = toTransientEvent(event, clock.now());
      if (scheduled > 0) published.push(passing);
      else tell(passing);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** The transaction keeps other processes from the log until the events are out of the outbox as well. */
async function moveToLog(tx: Tx, path: string, now: Date): Promise<readonly RalphEvent[]> {
  const events = (await readPending(tx)).map(toLogEvent);
  const last = events.at(-1)?.seq;
  if (last === undefined) return [];
  const file = openLogFile(path);
  try {
    const end = readLogEnd(file);
    const { missing, gap } = assertContinues(end, events);
    const all = gap ? [...(await takeSnapshot(tx, now)), ...missing] : missing;
    if (all.length > 0) appendLines(file, path, { end, lines: all.map((event) => JSON.stringify(event)) });
  } finally {
    closeSync(file);
  }
  await removePending(tx, last);
  return events;
}

/** Which events the log lacks, and whether it lacks some that came before them. */
function assertContinues(
  { last }: LogEnd,
  events: readonly RalphEvent[],
): { missing: readonly RalphEvent[]; gap: boolean } {
  const first = events[0]?.seq ?? 0;
  const end = last?.event.seq ?? 0;
  if (first === end + 1) return { missing: events, gap: false };
  // A crash came between the writing and the commit: the lines are there.
  const there = events.find(({ seq }) => seq === end);
  if (there && JSON.stringify(there) === last?.line) {
    return { missing: events.filter(({ seq = 0 }) => seq > end), gap: false };
  }
  // Number 1 is a store's first event: its history is whole, whatever another store left in the file.
  return { missing: events, gap: first !== 1 };
}
