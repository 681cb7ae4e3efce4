import type { JsonValue } from "../../base/json.ts";
import type { SandboxSettings } from "../../base/shared-settings.ts";
import { flag, listOrOne, mapping, oneOf, oneOrMore, optional, text, type ValueType } from "./value-type.ts";

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
  read: (value) => {
    if (typeof value === "string") {
      return levels.includes(value) ? { value } : { problem: expected, at: [], got: value };
    }
    const read = fields.read(value);
    if ("problem" in read) return read;
    const { level, prefix, ...rest } = read.value as unknown as Fields;
    const isStrict = level === "strict";
    if (isStrict && prefix !== null)
      return { problem: "absent with `level: strict`", at: ["prefix"], got: [...prefix] };
    const unused = onlyStrict.find((field) => !isStrict && rest[field] !== null);
    return unused === undefined
      ? read
      : { problem: "absent without `level: strict`", at: [unused], got: String(rest[unused]) };
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

export const sandboxDetails = `| level | agents and verification |
|---|---|
| \`auto\` | in a process namespace where the system has one, else in a process group |
| \`off\` | in a process group |
| \`required\` | in a process namespace, or not at all |
| \`strict\` | also without your files: see [Sandbox](agents.md#sandbox); or not at all |

A mapping says more:

| field | meaning | default |
|---|---|---|
| \`level\` | as above | \`auto\` |
| \`network\` | with \`strict\`: \`on\`, \`agent\` (agents only, not verification) or \`off\` | \`on\` |
| \`read\`, \`write\` | with \`strict\`: a path or a list of further paths to show, read-only or writable; relative to the project, or \`~/…\` | none |
| \`verification\` | with \`strict\`: verification runs in the sandbox too | true |
| \`prefix\` | without \`strict\`: words before an agent's command line, such as those that start a container | none |

\`\`\`yaml
sandbox: { level: strict, network: agent, read: ~/.rustup, write: ~/.cargo/registry }
\`\`\``;
