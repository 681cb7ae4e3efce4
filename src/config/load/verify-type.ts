import type { JsonValue } from "../../base/json.ts";
import { toCommand, type VerifyCommand, type VerifySetting } from "../../base/verify-command.ts";
import {
  commandLine,
  duration,
  folder,
  isMapping,
  mapping,
  oneOrMore,
  optional,
  text,
  toMs,
  type ValueType,
} from "./value-type.ts";

const expected = "a command line, or { run: …, timeout: …, in: …, when: … }";

const fields = mapping(expected, {
  run: commandLine,
  timeout: optional(duration),
  in: optional(folder),
  when: optional(oneOrMore(text, "a glob, or a list of globs")),
});

/** A verification command, read into `{ run, timeout, in, when }`; a timeout is text or null, `in` and `when` may be absent. */
export const verifyCommand: ValueType = {
  expected,
  schema: { anyOf: [text.schema, fields.schema] },
  read: (value) => {
    if (!isMapping(value)) {
      const run = commandLine.read(value);
      return "value" in run ? { value: { run: run.value, timeout: null } } : { ...run, problem: expected };
    }
    const read = fields.read(value);
    if ("problem" in read) return read.at[0] === "run" ? { ...read, problem: expected } : read;
    const { run, timeout, in: place, when } = read.value as Record<string, JsonValue>;
    return {
      value: {
        ...{ run: run ?? null, timeout: timeout ?? null },
        ...(typeof place === "string" && { in: place }),
        ...(Array.isArray(when) && { when }),
      },
    };
  },
};

/** Converts a value of `verifyCommand`. */
export function toVerifyCommand(value: JsonValue): VerifyCommand {
  const { timeout, ...typed } = value as unknown as Omit<VerifySetting, "timeoutMs"> & {
    timeout: string | null;
  };
  return toCommand({ ...typed, timeoutMs: toMs(timeout) });
}
