import type { Redacted, RedactedText } from "../base/safe-text.ts";
import { typePattern } from "../base/shared-settings.ts";
import type { RalphEvent } from "./event.ts";
import type { EventLog } from "./event-log.ts";
import { maxRows } from "./event-store.ts";
import type { OutletCursors } from "./outlet-cursors.ts";
import { redactedJson } from "./redact-json.ts";

/** A receiver of events. */
export interface Hook {
  /** Event types, or patterns in which `*` matches any text. */
  readonly on: readonly string[];
  /** The name shown in a `hook.failed` event. */
  readonly name: string;
  /** The name of its cursor. */
  readonly id: string;
  /** Sends one event as JSON, within the hook's own timeout. Throws the reason of a failure. */
  readonly send: (json: RedactedText, signal: AbortSignal) => Promise<void>;
}

interface HookSetup {
  readonly log: Pick<EventLog, "subscribe">;
  readonly hooks: readonly Hook[];
  readonly cursors: OutletCursors;
  /** Records a failure. */
  readonly onFailure: (failure: HookFailure) => void;
}

export interface HookFailure {
  readonly hook: string;
  /** The type of the event that was not delivered. */
  readonly event: string;
  readonly error: string;
}

export interface Hooks {
  /** Accepts no further events and waits for pending ones, at most `ms` milliseconds; then aborts running hooks. */
  drain(ms: number): Promise<void>;
}

/** Maximum number of reported failures per hook: a hook that is down fails at every event. */
const maxReportedFailures = 20;

/**
 * Sends the events of a log to hooks. Each hook has its own queue, which holds all that a killed run can have left in the table, and receives events in order, so no hook delays the
 * run or another hook. Transient events (`agent.activity`) go only to hooks that name them; `hook.failed` goes to none.
 */
export function startHooks({ log, hooks, cursors, onFailure }: HookSetup): Hooks {
  const ended = new AbortController();
  const queues = hooks.map((hook) => {
    const delivered = (seq: number): void => cursors.delivered(hook.id, seq);
    const queue = createQueue(hook, { onFailure, delivered }, ended.signal);
    return { ...queue, stop: log.subscribe(queue.offer, cursors.of(hook.id)) };
  });
  return {
    drain: async (ms) => {
      for (const { stop } of queues) stop();
      const timer = setTimeout(() => ended.abort(), ms);
      await Promise.all(queues.map((queue) => queue.idle()));
      clearTimeout(timer);
    },
  };
}

interface Queue {
  offer(event: Redacted<RalphEvent>): void;
  idle(): Promise<void>;
}

interface Reports {
  readonly onFailure: (failure: HookFailure) => void;
  readonly delivered: (seq: number) => void;
}

function createQueue(hook: Hook, { onFailure, delivered }: Reports, ended: AbortSignal): Queue {
  const wanted = hook.on.map(typePattern);
  const waiting: Redacted<RalphEvent>[] = [];
  let failures = 0;
  let full = false;
  let work: Promise<void> | undefined;

  const fail = (event: RalphEvent, error: unknown): void => {
    failures += 1;
    if (failures > maxReportedFailures) return;
    const last = failures === maxReportedFailures ? " (further failures of this hook are not reported)" : "";
    const message = error instanceof Error ? error.message : String(error);
    onFailure({ hook: hook.name, event: event.type, error: `${message}${last}` });
  };
  const sendAll = async (): Promise<void> => {
    for (let event = waiting.shift(); event; event = waiting.shift()) {
      full = false;
      if (ended.aborted) fail(event, "the run ended before the event was sent");
      else await hook.send(redactedJson(event), ended).catch(fail.bind(undefined, event));
      if (event.seq !== undefined) delivered(event.seq);
    }
    work = undefined;
  };
  return {
    offer: (event) => {
      if (event.type === "hook.failed" || !isWanted(event, hook.on, wanted)) return;
      if (waiting.length >= maxRows) {
        if (!full) fail(event, `${maxRows} events are already waiting: some are dropped`);
        full = true;
        return;
      }
      waiting.push(event);
      work ??= sendAll();
    },
    idle: async () => work,
  };
}

function isWanted(event: RalphEvent, on: readonly string[], patterns: readonly RegExp[]): boolean {
  if (event.seq === undefined && event.type !== "run.finished") return on.includes(event.type);
  return patterns.some((pattern) => pattern.test(event.type));
}
