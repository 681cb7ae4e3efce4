import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Redacted } from "../base/safe-text.ts";
import type { eventTypes } from "../base/shared-settings.ts";
import type { Row } from "../store/db.ts";

/** One write to one row: enough to repeat it on an empty database. The row of a delete holds only the key. */
export interface TableWrite {
  readonly table: string;
  readonly op: "put" | "delete";
  readonly row: Row;
}

/**
 * Several puts into one table, as recorded events hold them: `shared` has the values that all rows have in common, `rows`
 * the others. An import of thousands of tasks would otherwise repeat every default in every row.
 */
export interface FoldedPuts {
  readonly table: string;
  readonly op: "put";
  readonly shared: Row;
  readonly rows: readonly Row[];
}

export type RecordedWrite = TableWrite | FoldedPuts;

/** An event to record. The keys of `data` are camelCase and become fields of the log line. */
export interface EventInput {
  readonly type: EventType;
  readonly runId?: string | null;
  readonly data?: JsonObject;
  readonly rows?: readonly TableWrite[];
}

/** One line of `.ralph/events.jsonl`. `timestamp` is ISO 8601, `jobId` the run's id; transient events have no `seq`. */
export interface RalphEvent {
  readonly type: EventType;
  readonly timestamp: string;
  readonly jobId: string | null;
  readonly seq?: number;
  readonly rows?: readonly RecordedWrite[];
  readonly [field: string]: JsonValue | readonly RecordedWrite[] | undefined;
}

/** `noun.verb`. `events/run-events.ts` lists the types that `ui/` renders. A log of an earlier version may have others. */
export type EventType = (typeof eventTypes)[number];

export type EventListener = (event: Redacted<RalphEvent>) => void;
