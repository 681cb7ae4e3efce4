import type { JsonValue } from "../base/json.ts";
import { nearest } from "../base/nearest.ts";
import { eventTypes, typePattern } from "../base/shared-settings.ts";
import {
  address,
  duration,
  listOrOne,
  mapping,
  oneOrMore,
  optional,
  programCall,
  text,
  toMs,
  type ValueType,
  WrongValue,
} from "./value-type.ts";

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

/** Failures of hooks go to no hook, so that none calls itself. */
const sentTypes = eventTypes.filter((type) => type !== "hook.failed");

/** A type that no event has would make a hook that never runs, without any sign of it. */
const eventType: ValueType = {
  ...text,
  read: (value, at = [], wanted) => {
    const name = text.read(value, at, wanted) as string;
    const pattern = typePattern(name);
    if (sentTypes.some((type) => pattern.test(type))) return name;
    const expected = "the type of an event, or a pattern that some type matches";
    throw new WrongValue({ expected, at, got: value, hint: typeHint(name) });
  },
};

function typeHint(name: string): string {
  if (name === "hook.failed") return "it is sent to no hook: read it with `ralph events --type hook.failed`";
  const meant = nearest(name, sentTypes);
  if (meant !== undefined) return `did you mean ${meant}?`;
  return 'use a type such as run.finished or iteration.finished, or "*" for all types';
}

const fields = mapping(expected, {
  on: oneOrMore(eventType, "an event type, or a list of types"),
  run: optional(programCall("a program and its arguments, as a list")),
  url: optional(address),
  timeout: optional(duration),
});

/** Hooks as written, with single values turned into lists. */
export const eventHooks: ValueType = listOrOne(
  {
    ...fields,
    read: (value, at = [], wanted = expected) => {
      const hook = fields.read(value, at, wanted);
      const { run, url } = hook as unknown as Pick<EventHookSettings, "run" | "url">;
      if ((run === null) === (url === null)) throw new WrongValue({ expected, at, got: value });
      return hook;
    },
  },
  "a list of hooks",
);

export function toEventHooks(value: JsonValue): readonly EventHookSettings[] {
  type Written = Omit<EventHookSettings, "timeoutMs"> & { readonly timeout: string | null };
  return (value as unknown as readonly Written[]).map(({ timeout, ...rest }) => ({
    ...rest,
    timeoutMs: Math.min(toMs(timeout) ?? defaultTimeoutMs, maxTimeoutMs),
  }));
}
