import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Row } from "../store/db.ts";

/** What a write did to one row: enough to repeat it on an empty database. A delete's row holds just the key. */
export interface TableWrite {
  readonly table: string;
  readonly op: "put" | "delete";
  readonly row: Row;
}

/** An event as its author gives it. `data` becomes fields of the line; its keys are camelCase. */
export interface EventInput {
  readonly type: EventType;
  readonly runId?: string | null;
  readonly data?: JsonObject;
  readonly rows?: readonly TableWrite[];
}

/** One line of `.ralph/events.jsonl`: `timestamp` is ISO 8601, `jobId` the run's id; `seq` is absent on passing events. */
export interface RalphEvent {
  readonly type: EventType;
  readonly timestamp: string;
  readonly jobId: string | null;
  readonly seq?: number;
  readonly rows?: readonly TableWrite[];
  readonly [field: string]: JsonValue | readonly TableWrite[] | undefined;
}

/** `noun.verb`; the ones that `ui/` renders are in `events/run-events.ts`. */
export type EventType = `${string}.${string}` | StoryEventType;

/** The names by which older tools know the stages of a run; their fields are in `events/story-events.ts`. */
type StoryEventType = "loop_start" | "story_complete" | "story_failed" | "loop_complete" | "loop_error";

export type EventListener = (event: RalphEvent) => void;
