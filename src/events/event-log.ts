import { closeSync, fstatSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import type { Redacted } from "../base/safe-text.ts";
import type { Db, Tx } from "../store/port/db.ts";
import type { EventInput, EventListener, RalphEvent } from "./event.ts";
import { eventAt, eventsAfter, lastEventNumber, pruneEvents } from "./event-store.ts";
import { appendLines, identityOf, type LogEnd, openLogFile, readLogEnd } from "./log-file.ts";
import { toLogEvent, toTransientEvent } from "./log-line.ts";
import { redactedJson } from "./redact-json.ts";

/** The project's events: appended to the log file and published to listeners in this process, from the store's table. */
export interface EventLog {
  /**
   * Publishes recorded events, in order, those of other processes too: first to the file, then to the listeners. Safe to call at any
   * time outside a transaction, by many processes. Never throws: what cannot be written is written by a later call.
   */
  flush(): Promise<void>;
  /** Flushes a moment later, together with what is recorded until then, so that events do not delay an iteration. */
  flushLater(): void;
  /** Publishes a transient event to the listeners, without recording it. */
  publish(event: EventInput): void;
  /**
   * Adds a listener, which receives the events after number `after`, by default those that are new. Returns the function that removes
   * it. Errors of listeners are ignored: they must not stop the run.
   */
  subscribe(listener: EventListener, after?: number): () => void;
}

interface LogOptions {
  readonly db: Db;
  /** `.ralph/events.jsonl`. */
  readonly file: string;
  readonly clock: Clock;
  /** Called once, with the first error of the file or the store. */
  readonly onFailure: (error: unknown) => void;
}

/** Time (ms) in which the loop begins its next agent; a reader of the log does not notice it. */
const flushDelayMs = 100;

export function openEventLog({ db, file, clock, onFailure }: LogOptions): EventLog {
  /** Each with the number of the last event that it received; undefined before the next delivery: it receives what is new. */
  const listeners = new Map<EventListener, number | undefined>();
  const notify = (event: Redacted<RalphEvent>): void => {
    for (const [listener, own = 0] of [...listeners]) {
      if (event.seq !== undefined && event.seq <= own) continue;
      if (event.seq !== undefined) listeners.set(listener, event.seq);
      try {
        listener(event);
      } catch {
        // By contract of subscribe().
      }
    }
  };

  let hasFailed = false;
  const fail = (error: unknown): void => {
    if (!hasFailed) onFailure(error);
    hasFailed = true;
  };
  const writer = createWriter(file, fail);
  /** The number of the last event when the first listener came. */
  let first: Promise<number | undefined> | undefined;
  /** The number of the last event that was delivered, or need not be; undefined before the first delivery. */
  let received: number | undefined;
  const lastNeeded = (from: number): number => {
    let needed = from;
    for (const own of listeners.values()) needed = Math.min(needed, own ?? from);
    return needed;
  };
  /** Returns false when there may be more. */
  const deliverPart = async (): Promise<boolean> => {
    const last = await lastEventNumber(db);
    const from = received ?? (await first) ?? last;
    const needed = lastNeeded(from);
    if (last === 0 || (last === received && needed >= last && writer.hasAll(last))) return true;
    const part = await db.transaction((tx) => writer.write(tx, needed));
    const { events, written } = part;
    const since = received === undefined ? firstReceived(from, written) : from;
    for (const [listener, own = since] of listeners) listeners.set(listener, own);
    for (const event of events) notify(event);
    received = Math.max(from, numberOf(events.at(-1)));
    return part.isWhole || (events.at(-1)?.seq ?? last) >= last;
  };

  let flushing: Promise<void> = Promise.resolve();
  /** Flushes, and transient events after them, that have not ended. */
  let unfinished = 0;
  let scheduled: NodeJS.Timeout | undefined;
  /** One at a time, so that listeners hear events in order. */
  const inOrder = (work: () => Promise<void> | void): Promise<void> => {
    unfinished += 1;
    flushing = flushing
      .then(work)
      .catch(fail)
      .finally(() => {
        unfinished -= 1;
      });
    return flushing;
  };
  const flush = (): Promise<void> => {
    clearTimeout(scheduled);
    scheduled = undefined;
    return inOrder(async () => {
      while (!(await deliverPart()));
    });
  };

  return {
    flush,
    flushLater: () => {
      scheduled ??= setTimeout(() => void flush(), flushDelayMs);
    },
    publish: (event) => {
      const transient = toTransientEvent(event, clock.now());
      // Earlier records come first.
      if (scheduled) void flush();
      if (unfinished > 0) void inOrder(() => notify(transient));
      else notify(transient);
    },
    subscribe: (listener, after) => {
      // The store answers in the order of the calls: what is recorded from now on has a higher number.
      first ??= lastEventNumber(db).catch(() => undefined);
      listeners.set(listener, after);
      return () => void listeners.delete(listener);
    },
  };
}

/** The number after which events are new: a killed process's last ones are not in the file, unless that is written again. */
function firstReceived(from: number, written: number): number {
  return written > 0 ? Math.min(from, written) : from;
}

function numberOf(event: RalphEvent | undefined): number {
  return event?.seq ?? 0;
}

interface Written {
  /** The events after those that the file or the listeners had, whichever had fewer. */
  readonly events: readonly Redacted<RalphEvent>[];
  /** The number of the last event that the file had before; 0: none of this store's. */
  readonly written: number;
  /** True: nothing is left, or the file cannot be written. */
  readonly isWhole: boolean;
}

interface Writer {
  /** Returns true where the file ends with event `seq`, as this process left it. */
  hasAll(seq: number): boolean;
  /** Appends what the file lacks. The transaction keeps other processes from the file. The listeners had event `received`. */
  write(tx: Tx, received: number): Promise<Written>;
}

/** Appends the table's events to the file, and knows as long as nobody else writes it where it ends. */
function createWriter(path: string, onFailure: (error: unknown) => void): Writer {
  let known: { readonly identity: string; readonly end: LogEnd; readonly seq: number } | undefined;
  const open = (): number | undefined => {
    try {
      return openLogFile(path);
    } catch (error) {
      onFailure(error);
      return undefined;
    }
  };
  const append = (file: number, end: LogEnd, events: readonly Redacted<RalphEvent>[], seq: number): void => {
    const missing = events.filter((event) => numberOf(event) > seq);
    try {
      if (missing.length > 0)
        appendLines(file, path, { end, lines: missing.map((one) => redactedJson(one)) });
      const last = numberOf(missing.at(-1)) || seq;
      const { size } = fstatSync(file);
      const isComplete = missing.length > 0 || end.isComplete;
      known = { identity: identityOf(file), end: { size, isComplete, last: undefined }, seq: last };
    } catch (error) {
      known = undefined;
      onFailure(error);
    }
  };
  return {
    hasAll: (seq) => {
      const file = known && open();
      if (file === undefined) return false;
      const { identity } = known ?? {};
      const isSame = identity === identityOf(file) && known?.seq === seq;
      closeSync(file);
      return isSame;
    },
    write: async (tx, received) => {
      const file = open();
      if (file === undefined) {
        return { events: (await eventsAfter(tx, received)).map(toLogEvent), written: 0, isWhole: true };
      }
      try {
        const isSame = known?.identity === identityOf(file);
        const end = isSame && known ? known.end : readLogEnd(file);
        const written = isSame && known ? known.seq : await lastWritten(tx, end);
        const events = (await eventsAfter(tx, Math.min(received, written))).map(toLogEvent);
        append(file, end, events, written);
        // Events that the file lacks stay in the table, and listeners do not wait for it.
        if (!known)
          return { events: (await eventsAfter(tx, received)).map(toLogEvent), written: 0, isWhole: true };
        const [first, last] = [numberOf(events[0]), numberOf(events.at(-1))];
        if (last > 0) await pruneEvents(tx, first, last);
        return { events, written, isWhole: false };
      } finally {
        closeSync(file);
      }
    },
  };
}

/** Returns the number of the file's last event, if it is one of this store; else 0, and the file gets all that the table has. */
async function lastWritten(tx: Tx, { last }: LogEnd): Promise<number> {
  if (last?.seq === undefined) return 0;
  const row = await eventAt(tx, last.seq);
  return row?.timestamp === last.timestamp && row.type === last.type ? last.seq : 0;
}
