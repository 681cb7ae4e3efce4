import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Redacted } from "../base/safe-text.ts";
import type { eventTypes } from "../base/shared-settings.ts";

/** An event to record. The keys of `data` are camelCase and become fields of the log line. */
export interface EventInput {
  readonly type: EventType;
  readonly runId?: string | null;
  readonly data?: JsonObject;
}

/** One line of `.ralph/events.jsonl`. `timestamp` is ISO 8601, `jobId` the run's id; transient events have no `seq`. */
export interface RalphEvent {
  readonly type: EventType;
  readonly timestamp: string;
  readonly jobId: string | null;
  readonly seq?: number;
  readonly [field: string]: JsonValue | undefined;
}

/** `noun.verb`. `events/run-events.ts` lists the types that `ui/` renders. */
export type EventType = (typeof eventTypes)[number];

export type EventListener = (event: Redacted<RalphEvent>) => void;
