import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import type { Redacted } from "../../base/safe-text.ts";
import type { EventInput, RalphEvent, RecordedWrite } from "../event.ts";
import type { PendingEvent } from "../outbox-store.ts";
import { parseRedacted, redactObject } from "../redact-json.ts";
import { isParsable } from "./line-form.ts";

/** Converts a pending event to its log form. The same pending event always gives the same line. */
export function toLogEvent(pending: PendingEvent): Redacted<RalphEvent> {
  const { seq, timestamp, type, runId } = pending;
  const data = isDeep(pending.data) ? null : parseRedacted<JsonObject>(pending.data);
  const rows = isDeep(pending.rows) ? null : parseRedacted<readonly RecordedWrite[]>(pending.rows);
  const head = { seq, timestamp, type, jobId: runId };
  const event = { ...head, ...(isObject(data) ? data : redactObject({})), ...head };
  return Array.isArray(rows) && rows.length > 0 ? { ...event, rows } : event;
}

/** Far more than ralph's own events have. */
const maxDepth = 200;

/** Reports whether JSON is so nested that writing it again could exhaust the stack: an agent can write the outbox. */
function isDeep(json: string): boolean {
  if (json.length < 2 * maxDepth) return false;
  let depth = 0;
  for (const [part] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g)) {
    if (part === "[" || part === "{") depth++;
    else if (part === "]" || part === "}") depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** Converts an event to the form that listeners receive when it is not logged. */
export function toTransientEvent({ type, runId, data }: EventInput, now: Date): Redacted<RalphEvent> {
  const head = { timestamp: now.toISOString(), type, jobId: runId ?? null };
  return { ...head, ...redactObject(data ?? {}), ...head };
}

/** Returns the event of a line; undefined for one that is none, or that is so made that it takes long to parse. */
export function parseLine(line: string): RalphEvent | undefined {
  if (!isParsable(line)) return undefined;
  const value: unknown = withoutStack(() => parseJson(line));
  return isEvent(value) ? value : undefined;
}

/** The stack of an error that nobody reads takes longer than a short line, of which an agent can write millions. */
function withoutStack<T>(work: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function isEvent(value: unknown): value is JsonObject & RalphEvent {
  if (!isObject(value)) return false;
  const { type, timestamp, seq } = value;
  const numbered = seq === undefined || Number.isSafeInteger(seq);
  return typeof type === "string" && typeof timestamp === "string" && numbered;
}

/**
 * Creates a filter that returns true for an event seen before: a crash while the log is written can leave a line twice.
 * It compares more than the number, because a new store starts again at 1.
 */
export function createDuplicateFilter(): (event: RalphEvent) => boolean {
  const seen = new Set<string>();
  return ({ seq, timestamp, type }) => {
    if (seq === undefined) return false;
    const key = `${seq} ${timestamp} ${type}`;
    const known = seen.has(key);
    seen.add(key);
    return known;
  };
}
