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
  /** Types, or patterns of types in which `*` stands for anything. */
  readonly on: readonly string[];
  /** A program and its arguments: the event comes on its standard input. */
  readonly run: readonly string[] | null;
  /** The event is posted there. */
  readonly url: string | null;
  readonly timeoutMs: number;
}

const expected =
  "{ on: types, run: [program, arguments…] } or { on: types, url: http… }, each with timeout: …";
const defaultTimeoutMs = 10_000;
/** A run's end waits for its hooks. */
const longestMs = 60_000;

const fields = mapping(expected, {
  on: oneOrMore(text, "a type of event, or a list of types"),
  run: optional(programCall("a program and its arguments, as a list")),
  url: optional(address),
  timeout: optional(duration),
});

/** A hook as it was written, its lists filled in. */
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
  return { on, run, url, timeoutMs: Math.min(toMs(timeout) ?? defaultTimeoutMs, longestMs) };
}
