import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import type { EventInput, RalphEvent } from "../event.ts";
import type { PendingEvent } from "../outbox-store.ts";
import { redactObject } from "../redact-json.ts";

/** The event as the log holds it. The same waiting event always gives the same line. */
export function toLogEvent(waiting: PendingEvent): RalphEvent {
  const { seq, timestamp, type, runId } = waiting;
  const data = parseJson(waiting.data);
  const rows = parseJson(waiting.rows);
  const head = { seq, timestamp, type, jobId: runId };
  const event = { ...head, ...(isObject(data) ? data : {}), ...head };
  return (Array.isArray(rows) && rows.length > 0 ? { ...event, rows } : event) as RalphEvent;
}

/** The event as listeners see it that no log holds. */
export function toTransientEvent({ type, runId, data }: EventInput, now: Date): RalphEvent {
  const head = { timestamp: now.toISOString(), type, jobId: runId ?? null };
  return { ...head, ...redactObject(data ?? {}), ...head };
}

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
 * Tells lines that stand for the same event: a crash while the log is written can leave one twice. A number alone
 * does not, for a new store begins again at 1.
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
