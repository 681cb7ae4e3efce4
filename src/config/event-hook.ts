import type { JsonValue } from "../base/json.ts";
import {
  address,
  duration,
  mapping,
  oneOrMore,
  optional,
  programCall,
  text,
  toMs,
  type ValueType,
} from "./load/value-type.ts";

/** One entry of `events.hooks`. Either `run` or `url` is set. */
export interface EventHookSettings {
  /** Event types, or patterns in which `*` matches anything. */
  readonly on: readonly string[];
  /** A program and its arguments. It receives the event on standard input. */
  readonly run: readonly string[] | null;
  /** The URL that the event is posted to. */
  readonly url: string | null;
  readonly timeoutMs: number;
}

const expected =
  "{ on: types, run: [program, arguments…] } or { on: types, url: http… }, each with timeout: …";
const defaultTimeoutMs = 10_000;
/** Limits how long the end of a run waits for its hooks. */
const maxTimeoutMs = 60_000;

const fields = mapping(expected, {
  on: oneOrMore(text, "an event type, or a list of types"),
  run: optional(programCall("a program and its arguments, as a list")),
  url: optional(address),
  timeout: optional(duration),
});

/** A hook as written, with single values turned into lists. */
export const eventHook: ValueType = {
  ...fields,
  read: (value) => {
    const read = fields.read(value);
    if ("problem" in read) return read;
    const { run, url } = read.value as Pick<EventHookSettings, "run" | "url">;
    return (run === null) === (url === null) ? { problem: expected, at: [], got: value } : read;
  },
};

export function toEventHook(value: JsonValue): EventHookSettings {
  const { on, run, url, timeout } = value as unknown as Omit<EventHookSettings, "timeoutMs"> & {
    timeout: string | null;
  };
  return { on, run, url, timeoutMs: Math.min(toMs(timeout) ?? defaultTimeoutMs, maxTimeoutMs) };
}
