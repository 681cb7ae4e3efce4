import type { JsonValue } from "../base/json.ts";
import { toCommand, type VerifyCommand, type VerifySetting } from "../base/verify-command.ts";
import {
  amount,
  commandLine,
  duration,
  folder,
  isMapping,
  listOrOne,
  mapping,
  oneOrMore,
  optional,
  record,
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

/** Verification commands, each read into `{ run, timeout, in, when }`; a timeout is text or null, `in` and `when` may be absent. */
export const verifyCommands: ValueType = listOrOne(
  {
    expected,
    schema: { anyOf: [text.schema, fields.schema] },
    read: (value, at, wanted = expected) => {
      if (!isMapping(value)) return { run: commandLine.read(value, at, wanted), timeout: null };
      const { in: place, when, ...rest } = fields.read(value, at) as Record<string, JsonValue>;
      return { ...rest, ...(place && { in: place }), ...(when && { when }) };
    },
  },
  "a list of commands, each a string or a mapping",
);

export function toVerifyCommands(value: JsonValue): readonly VerifyCommand[] {
  type Written = Omit<VerifySetting, "timeoutMs"> & { readonly timeout: string | null };
  const commands = value as unknown as readonly Written[];
  return commands.map(({ timeout, ...rest }) => toCommand({ ...rest, timeoutMs: toMs(timeout) }));
}

const price = mapping("{ input: dollars, output: dollars, cached: dollars }", {
  input: amount,
  output: amount,
  cached: optional(amount),
});

/** A person's own prices of models, in dollars per million tokens. */
export const modelPrices: ValueType = record("a mapping from models to prices", price);
