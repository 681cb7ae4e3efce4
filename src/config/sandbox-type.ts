import type { JsonValue } from "../base/json.ts";
import type { SandboxSettings } from "../base/shared-settings.ts";
import type { YamlValue } from "../base/yaml.ts";
import {
  flag,
  listOrOne,
  mapping,
  oneOf,
  oneOrMore,
  optional,
  text,
  type ValueType,
  WrongValue,
} from "./value-type.ts";

const levels = ["auto", "off", "required", "strict"];
const networks = ["on", "agent", "off"];
const expected = `one of ${levels.join(", ")}, or a mapping such as { level: strict, network: off }`;

const paths = optional(listOrOne(text, "a path, or a list of paths"));
const fields = mapping(expected, {
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
  expected,
  schema: { anyOf: [{ enum: levels }, fields.schema] },
  read: (value, at = []) => {
    if (typeof value === "string") return oneOf(levels).read(value, at, expected);
    const read = fields.read(value, at);
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
