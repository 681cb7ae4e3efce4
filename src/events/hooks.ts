import type { RalphEvent } from "./event.ts";
import type { EventLog } from "./event-log.ts";

/** Who is told of which events. */
export interface Hook {
  /** Types, or patterns in which `*` stands for anything. */
  readonly on: readonly string[];
  /** For people, in a `hook.failed` event. */
  readonly name: string;
  /** Tells it one event as JSON, within a time of its own; what it throws is why it failed. */
  send(json: string, signal: AbortSignal): Promise<void>;
}

interface HookSetup {
  readonly log: Pick<EventLog, "subscribe">;
  readonly hooks: readonly Hook[];
  /** Notes a failure where it can be found later. */
  readonly onFailure: (failure: HookFailure) => void;
}

export interface HookFailure {
  readonly hook: string;
  /** The type of the event that it was not told. */
  readonly event: string;
  readonly error: string;
}

export interface Hooks {
  /** Takes no more events and waits for what waits, at most `ms`; what still runs then is aborted. */
  drain(ms: number): Promise<void>;
}

/** Events that wait for one hook; what comes beyond is dropped and told once. */
const maxQueue = 200;
/** More failures of one hook than this are not told: a hook that is down fails at every event. */
const maxReportedFailures = 20;

/**
 * Tells hooks the events of a log, each hook in order and on a queue of its own: none of them holds up the run or
 * another hook. Events that nobody keeps (`agent.activity`) go only where they are named; `hook.failed` goes nowhere.
 */
export function startHooks({ log, hooks, onFailure }: HookSetup): Hooks {
  const over = new AbortController();
  const queues = hooks.map((hook) => createQueue(hook, onFailure, over.signal));
  const stop = log.subscribe(({ rows: _, ...event }) => {
    for (const queue of queues) queue.offer(event as RalphEvent);
  });
  return {
    drain: async (ms) => {
      stop();
      const timer = setTimeout(() => over.abort(), ms);
      await Promise.all(queues.map((queue) => queue.idle()));
      clearTimeout(timer);
    },
  };
}

interface Queue {
  offer(event: RalphEvent): void;
  idle(): Promise<void>;
}

function createQueue(hook: Hook, onFailure: (failure: HookFailure) => void, over: AbortSignal): Queue {
  const wanted = hook.on.map(patternOf);
  const waiting: RalphEvent[] = [];
  let failures = 0;
  let full = false;
  let work: Promise<void> | undefined;

  const fail = (event: RalphEvent, error: unknown): void => {
    failures += 1;
    if (failures > maxReportedFailures) return;
    const last = failures === maxReportedFailures ? " (further failures of it are not told)" : "";
    const message = error instanceof Error ? error.message : String(error);
    onFailure({ hook: hook.name, event: event.type, error: `${message}${last}` });
  };
  const workOff = async (): Promise<void> => {
    for (let event = waiting.shift(); event; event = waiting.shift()) {
      full = false;
      if (over.aborted) fail(event, "the run ended before it was its turn");
      else await hook.send(JSON.stringify(event), over).catch(fail.bind(undefined, event));
    }
    work = undefined;
  };
  return {
    offer: (event) => {
      if (event.type === "hook.failed" || !isWanted(event, hook.on, wanted)) return;
      if (waiting.length >= maxQueue) {
        if (!full) fail(event, `${maxQueue} events wait for it already: some are left out`);
        full = true;
        return;
      }
      waiting.push(event);
      work ??= workOff();
    },
    idle: async () => work,
  };
}

function isWanted(event: RalphEvent, on: readonly string[], patterns: readonly RegExp[]): boolean {
  if (event.seq === undefined && event.type !== "run.finished") return on.includes(event.type);
  return patterns.some((pattern) => pattern.test(event.type));
}

function patternOf(glob: string): RegExp {
  const parts = glob.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`);
}
