import { closeSync } from "node:fs";
import type { Clock } from "../base/clock.ts";
import { RalphError, systemCode } from "../base/errors.ts";
import type { Redacted } from "../base/safe-text.ts";
import type { Db, Tx } from "../store/db.ts";
import type { EventInput, EventListener, RalphEvent } from "./event.ts";
import { chainLines, splitChain, unchained } from "./log/chain.ts";
import { appendLines, type LogEnd, openLogFile, readLogEnd } from "./log/log-file.ts";
import { createHeadKeeper, type HeadKeeper, type Heads } from "./log/log-head.ts";
import { toLogEvent, toTransientEvent } from "./log/log-line.ts";
import { followRun, type RunFollower } from "./log/moved-elsewhere.ts";
import { takeSnapshot } from "./log/snapshot.ts";
import { hasPending, isSealed, readFirstPending, removePending } from "./outbox-store.ts";
import { redactedJson } from "./redact-json.ts";

/** The project's events: written to the log and published to listeners in this process. */
export interface EventLog {
  /**
   * Moves recorded events to the log, in order, and then to the listeners, including pending events of other processes.
   * Safe to call at any time outside a transaction, by many processes. Errors: `RALPH_STORE_` + `LOCKED`, `FULL`,
   * `READ_ONLY`, `IO`, `PATH`; the events then wait for the next call.
   */
  flush(): Promise<void>;
  /**
   * Flushes a moment later, together with what is recorded until then, so that events do not delay an iteration. Events
   * published in the meantime follow after. Throws the error of an earlier scheduled flush, unless the log's folder was
   * missing or the log was no file: the events wait then.
   */
  flushLater(): void;
  /** Publishes a transient event to the listeners, without logging it. */
  publish(event: EventInput): void;
  /** From now on, publishes the events of run `runId` also if another process moves them to the log. */
  follow(runId: string): Promise<void>;
  /** Adds a listener and returns the function that removes it. Errors of listeners are ignored: they must not stop the run. */
  subscribe(listener: EventListener): () => void;
  /** The end of the log as it is kept outside the project. */
  readonly head: HeadKeeper;
}

interface LogOptions {
  readonly db: Db;
  /** `.ralph/events.jsonl`; its folder exists. */
  readonly file: string;
  readonly clock: Clock;
  /** Where the log's head is kept; default nowhere. */
  readonly heads?: Heads;
}

/** Time (ms) in which the loop begins its next agent; a reader of the log does not notice it. */
const flushDelayMs = 100;

export function openEventLog({ db, file, clock, heads }: LogOptions): EventLog {
  const listeners = new Set<EventListener>();

  const notify = (event: Redacted<RalphEvent>): void => {
    for (const listener of [...listeners]) {
      try {
        listener(event);
      } catch {
        // By contract of subscribe().
      }
    }
  };

  const head = createHeadKeeper(file, heads ?? null);
  let follower: RunFollower | undefined;
  const moveAndNotify = async (): Promise<void> => {
    if (!(await (follower?.hasNew(db) ?? hasPending(db)))) return;
    const move = (tx: Tx) => moveToLog(tx, { path: file, head, now: clock.now() });
    do {
      // Not durable: the log is synced, and events that return to the outbox after a power failure are found in it.
      const moved = await db.transaction(move, { durable: false });
      const elsewhere = follower?.take(moved) ?? [];
      for (const event of [...elsewhere, ...moved]) notify(event);
    } while (await hasPending(db));
  };
  let flushing: Promise<void> = Promise.resolve();
  /** Flushes that have not ended; published events wait for them to keep their order. */
  let unfinished = 0;
  let scheduled: NodeJS.Timeout | undefined;
  const published: Redacted<RalphEvent>[] = [];
  /** One flush at a time, so that listeners hear events in order. */
  const flush = (): Promise<void> => {
    clearTimeout(scheduled);
    scheduled = undefined;
    unfinished += 1;
    flushing = flushing
      .catch(() => undefined)
      .then(moveAndNotify)
      .finally(() => {
        unfinished -= 1;
        if (unfinished === 0 && !scheduled) for (const event of published.splice(0)) notify(event);
      });
    return flushing;
  };
  let failure: { readonly error: unknown } | undefined;

  return {
    head,
    flush,
    flushLater: () => {
      scheduled ??= setTimeout(() => {
        flush().catch((error: unknown) => {
          if (!isDisplaced(error)) failure = { error };
        });
      }, flushDelayMs);
      const before = failure;
      failure = undefined;
      if (before) throw before.error;
    },
    publish: (event) => {
      const transient = toTransientEvent(event, clock.now());
      if (scheduled || unfinished > 0) published.push(transient);
      else notify(transient);
    },
    follow: async (runId) => {
      follower = await followRun(db, file, runId);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * Returns true when an agent may have removed ralph's folder, or put a link or a folder in the log's place. Its guard puts
 * them back; until then the events wait in the outbox.
 */
function isDisplaced(error: unknown): boolean {
  if (!(error instanceof RalphError)) return false;
  return error.code === "RALPH_STORE_PATH" || systemCode(error.cause) === "ENOENT";
}

/** Moves the first pending events to the log. The transaction keeps other processes from the log until they are gone. */
async function moveToLog(
  tx: Tx,
  { path, head, now }: { readonly path: string; readonly head: HeadKeeper; readonly now: Date },
): Promise<readonly Redacted<RalphEvent>[]> {
  const pending = await readFirstPending(tx);
  const sealed = new Set(pending.filter((event) => isSealed(tx.seal, event)).map(({ seq }) => seq));
  const events = pending.map(toLogEvent);
  const last = events.at(-1)?.seq;
  if (last === undefined) return [];
  const file = openLogFile(path);
  try {
    const end = readLogEnd(file);
    const { missing, gap } = findMissing(end, events);
    const snapshot = gap ? await takeSnapshot(tx, now) : [];
    const lines = [
      ...snapshot.map((event) => ({ text: redactedJson(event), sealed: true })),
      ...missing.map((event) => ({ text: redactedJson(event), sealed: sealed.has(event.seq ?? 0) })),
    ];
    if (lines.length > 0) {
      const chained = chainLines(tx.seal, { file, end }, lines);
      appendLines(file, path, { end, lines: chained });
      head.copyLines({ seal: tx.seal, end, lines, chained });
      const chain = splitChain(chained.at(-1) ?? "")?.chain;
      if (chain) head.note({ seq: last, chain }, end.size === 0 && events[0]?.seq === 1);
    }
  } finally {
    closeSync(file);
  }
  await removePending(tx, last);
  return events;
}

/** Returns the events that the log lacks, and whether it also lacks earlier ones. */
function findMissing(
  { last }: LogEnd,
  events: readonly Redacted<RalphEvent>[],
): { missing: readonly Redacted<RalphEvent>[]; gap: boolean } {
  const first = events[0]?.seq ?? 0;
  const end = last?.event.seq ?? 0;
  if (first === end + 1) return { missing: events, gap: false };
  // After a crash between the append and the commit, the log has the lines already.
  const logged = events.find(({ seq }) => seq === end);
  if (logged && last && JSON.stringify(logged) === unchained(last.line)) {
    return { missing: events.filter(({ seq = 0 }) => seq > end), gap: false };
  }
  // Number 1 is a store's first event: its history is complete, even if the file has lines of another store.
  return { missing: events, gap: first !== 1 };
}
