import type { JsonValue } from "../base/json.ts";
import type { SandboxSettings } from "../base/shared-settings.ts";
import { toCommand, type VerifyCommand, type VerifySetting } from "../base/verify-command.ts";
import type { YamlValue } from "../base/yaml.ts";
import {
  amount,
  commandLine,
  duration,
  flag,
  folder,
  isMapping,
  listOrOne,
  mapping,
  oneOf,
  oneOrMore,
  optional,
  record,
  text,
  toMs,
  type ValueType,
  WrongValue,
} from "./value-type.ts";

const commandExpected = "a command line, or { run: …, timeout: …, in: …, when: … }";

const commandFields = mapping(commandExpected, {
  run: commandLine,
  timeout: optional(duration),
  in: optional(folder),
  when: optional(oneOrMore(text, "a glob, or a list of globs")),
});

/** Verification commands, each read into `{ run, timeout, in, when }`; a timeout is text or null, `in` and `when` may be absent. */
export const verifyCommands: ValueType = listOrOne(
  {
    expected: commandExpected,
    schema: { anyOf: [text.schema, commandFields.schema] },
    read: (value, at, wanted = commandExpected) => {
      if (!isMapping(value)) return { run: commandLine.read(value, at, wanted), timeout: null };
      const { in: place, when, ...rest } = commandFields.read(value, at) as Record<string, JsonValue>;
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

const levels = ["auto", "off", "required", "strict"];
const networks = ["on", "agent", "off"];
const sandboxExpected = `one of ${levels.join(", ")}, or a mapping such as { level: strict, network: off }`;

const paths = optional(listOrOne(text, "a path, or a list of paths"));
const sandboxFields = mapping(sandboxExpected, {
  level: optional(oneOf(levels)),
  network: optional(oneOf(networks)),
  read: paths,
  write: paths,
  verification: optional(flag),
  prefix: optional(oneOrMore(text, "a program and its arguments, as a list")),
});

type Fields = { readonly [Field in keyof SandboxSettings]: SandboxSettings[Field] | null };

const onlyStrict = ["network", "read", "write", "verification"] as const;

/** The setting `sandbox`: a level, or a mapping. */
export const sandbox: ValueType = {
  expected: sandboxExpected,
  schema: { anyOf: [{ enum: levels }, sandboxFields.schema] },
  read: (value, at = []) => {
    if (typeof value === "string") return oneOf(levels).read(value, at, sandboxExpected);
    const read = sandboxFields.read(value, at);
    const { level, prefix, ...rest } = read as unknown as Fields;
    const refuse = (how: string, field: string, got: YamlValue): never => {
      throw new WrongValue({ expected: `absent ${how} \`level: strict\``, at: [...at, field], got });
    };
    if (level === "strict") return prefix === null ? read : refuse("with", "prefix", [...prefix]);
    const unused = onlyStrict.find((field) => rest[field] !== null);
    return unused === undefined ? read : refuse("without", unused, String(rest[unused]));
  },
};

/** Returns the setting with its defaults. */
export function toSandbox(value: JsonValue): SandboxSettings {
  const given: Partial<Fields> =
    typeof value === "string" ? { level: value as SandboxSettings["level"] } : (value as unknown as Fields);
  return {
    level: given.level ?? "auto",
    network: given.network ?? "on",
    read: given.read ?? [],
    write: given.write ?? [],
    verification: given.verification ?? true,
    prefix: given.prefix ?? null,
  };
}
