import { isObject, type JsonObject, parseJson } from "../base/json.ts";
import type { Redacted } from "../base/safe-text.ts";
import type { EventInput, RalphEvent } from "./event.ts";
import type { EventRow } from "./event-store.ts";
import { parseRedacted, redactObject } from "./redact-json.ts";

/** Converts a row to its log form. The same row always gives the same line. */
export function toLogEvent({ seq, timestamp, type, runId, data }: EventRow): Redacted<RalphEvent> {
  const fields = parseRedacted<JsonObject>(data);
  const head = { seq, timestamp, type, jobId: runId };
  return { ...head, ...(isObject(fields) ? fields : redactObject({})), ...head };
}

/** Converts an event to the form that listeners receive when it is not logged. */
export function toTransientEvent({ type, runId, data }: EventInput, now: Date): Redacted<RalphEvent> {
  const head = { timestamp: now.toISOString(), type, jobId: runId ?? null };
  return { ...head, ...redactObject(data ?? {}), ...head };
}

/** Returns the event of a line; undefined for one that is none. */
export function parseLine(line: string): RalphEvent | undefined {
  const value: unknown = parseJson(line);
  return isEvent(value) ? value : undefined;
}

function isEvent(value: unknown): value is JsonObject & RalphEvent {
  if (!isObject(value)) return false;
  const { type, timestamp, seq } = value;
  const numbered = seq === undefined || Number.isSafeInteger(seq);
  return typeof type === "string" && typeof timestamp === "string" && numbered;
}

/**
 * Creates a filter that returns true for an event seen before: a log that is written again can have a line twice.
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
