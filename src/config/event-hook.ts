import type { JsonValue } from "../base/json.ts";
import { duration, oneOrMore, optional, text, toMs, type ValueType } from "./value-type.ts";

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

const types = oneOrMore(text, "a type of event, or a list of types");
const argv = oneOrMore(text, "a program and its arguments, as a list");

/** A hook as it was written, its lists filled in. */
export const eventHook: ValueType = {
  expected,
  schema: {
    type: "object",
    properties: {
      on: types.schema,
      run: argv.schema,
      url: { type: "string", pattern: "^https?://" },
      timeout: duration.schema,
    },
    required: ["on"],
    additionalProperties: false,
  },
  read: (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return { problem: expected, at: [], got: value };
    const fields = value as Readonly<Record<string, typeof value | undefined>>;
    const known: Readonly<Record<string, ValueType>> = {
      on: types,
      run: optional(argv),
      url: optional(text),
      timeout: optional(duration),
    };
    const stranger = Object.keys(fields).find((key) => !(key in known));
    if (stranger !== undefined) return { problem: expected, at: [stranger], got: stranger };
    const hook: Record<string, JsonValue> = {};
    for (const [key, type] of Object.entries(known)) {
      const read = type.read(fields[key] ?? null);
      if ("problem" in read) return { ...read, at: [key, ...read.at] };
      hook[key] = read.value;
    }
    const address = hook["url"];
    const isAddress = typeof address === "string" && /^https?:\/\//.test(address) && URL.canParse(address);
    if ((hook["run"] === null) === (address === null)) return { problem: expected, at: [], got: value };
    return address === null || isAddress
      ? { value: hook }
      : { problem: "an address that begins with http:// or https://", at: ["url"], got: String(address) };
  },
};

export function toEventHook(value: JsonValue): EventHookSettings {
  const { on, run, url, timeout } = value as unknown as Omit<EventHookSettings, "timeoutMs"> & {
    timeout: string | null;
  };
  return { on, run, url, timeoutMs: Math.min(toMs(timeout) ?? defaultTimeoutMs, longestMs) };
}
