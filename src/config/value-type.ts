import { parseDuration } from "../base/duration.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { YamlObject, YamlPath, YamlValue } from "../base/yaml.ts";

interface Problem {
  /** Completes "must be …". */
  readonly expected: string;
  /** Below the setting's key: `[1].timeout` is `[1, "timeout"]`. */
  readonly at: YamlPath;
  readonly got: YamlValue | undefined;
  /** How to fix it, if `expected` is not enough. */
  readonly hint?: string | undefined;
  /** The known names, if `at` ends with an unknown one. */
  readonly known?: readonly string[];
}

/** A value that is refused. */
export class WrongValue extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.expected);
    this.problem = problem;
  }
}

/** The type of a setting's value. */
export interface ValueType {
  /** Completes "must be …". */
  readonly expected: string;
  /** For editors. */
  readonly schema: JsonObject;
  /** Text that is used in milliseconds. */
  readonly isDuration?: true;
  readonly isOptional?: true;
  /**
   * Returns the value at `at` as JSON. A type around this one may expect more than it: `expected` is what the message says.
   *
   * @throws WrongValue
   */
  read(value: YamlValue, at?: YamlPath, expected?: string): JsonValue;
}

/** Returns true for a YAML mapping. */
export function isMapping(value: YamlValue): value is YamlObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function scalar(
  expected: string,
  schema: JsonObject,
  convert: (text: string) => JsonValue | undefined,
  hintFor: (text: string) => string | undefined = () => undefined,
): ValueType {
  return {
    expected,
    schema,
    read: (got, at = [], wanted = expected) => {
      const [value, hint] = typeof got === "string" ? [convert(got), hintFor(got)] : [];
      if (value === undefined) throw new WrongValue({ expected: wanted, at, got, hint });
      return value;
    },
  };
}

/** A scalar that is kept as written. */
function words(
  expected: string,
  isRight: (text: string) => boolean,
  schema: JsonObject = { type: "string", minLength: 1 },
  hintFor?: (text: string) => string | undefined,
): ValueType {
  return scalar(expected, schema, (value) => (isRight(value) ? value : undefined), hintFor);
}

export const text: ValueType = words("a string that is not empty", (value) => value !== "");
/** A command line for a shell, which would accept anything with an empty one. */
export const commandLine: ValueType = words("a command line", (value) => value.trim() !== "");
/** As git allows it, but for slashes. */
export const remoteName: ValueType = words("the name of a git remote, such as origin", (value) =>
  /^\w[\w.-]*$/.test(value),
);
/** A URL scheme; a single letter is a Windows drive instead. */
const scheme = /^[a-z][a-z0-9+.-]+:/i;
export const filePath: ValueType = words(
  "a file path",
  (value) => value !== "" && !scheme.test(value),
  text.schema,
  (value) =>
    scheme.test(value)
      ? "use a file path; the address of a server, which may hold a password, is set in RALPH_STORE_URL and in no file of a project"
      : undefined,
);
/** A URL to request. */
export const address: ValueType = words(
  "a URL that begins with http:// or https://",
  (value) => /^https?:\/\//.test(value) && URL.canParse(value),
  { type: "string", pattern: "^https?://" },
);

function folderType(expected: string, isRight: (path: string) => boolean): ValueType {
  return scalar(expected, { type: "string", minLength: 1, pattern: "^(?!/)" }, (value) => {
    const names = value.split("/").filter((name) => name !== "" && name !== ".");
    const isInside = !value.startsWith("/") && !names.includes("..") && !/[\0\n]/.test(value);
    const path = names.join("/");
    return isInside && path !== "" && isRight(path) ? path : undefined;
  });
}
/** A folder of the project, with `/` between names. */
export const folder: ValueType = folderType("a folder of the project, relative to its root", () => true);
/** A folder of the project that ralph writes to: not git's. */
export const ownFolder: ValueType = folderType(
  "a folder of the project, relative to its root, outside .git",
  (path) => !/^\.git(?:\/|$)/i.test(path),
);

function numeric(expected: string, pattern: RegExp, schema: JsonObject): ValueType {
  return scalar(expected, schema, (value) => (pattern.test(value) ? Number(value) : undefined));
}
/** At most 15 digits, which a number represents exactly. */
export const wholeNumber: ValueType = numeric("a non-negative integer", /^\d{1,15}$/, {
  type: "integer",
  minimum: 0,
});
export const amount: ValueType = numeric("a non-negative number", /^(\d{1,12}(\.\d*)?|\.\d+)$/, {
  type: "number",
  minimum: 0,
});
export const share: ValueType = numeric("a number from 0 to 1", /^(0?\.\d+|[01](\.0*)?)$/, {
  type: "number",
  minimum: 0,
  maximum: 1,
});
export const flag: ValueType = scalar("true or false", { type: "boolean" }, (value) =>
  /^(true|yes|on)$/i.test(value) ? true : /^(false|no|off)$/i.test(value) ? false : undefined,
);
/** A duration, kept as text; `toMs` converts it to milliseconds. */
export const duration: ValueType = {
  ...words(
    "a duration such as 90s, 30m or 1h30m",
    (value) => Boolean(parseDuration(value)),
    { type: "string", pattern: "\\d(ms|s|m|h|d)" },
    (value) => {
      if (/^[\d.]/.test(value) && (Number(value) === 0 || parseDuration(value) === 0))
        return "use a time longer than 0";
      return /^\d+(\.\d+)?$/.test(value) ? `add a unit: ${value}s or ${value}m` : undefined;
    },
  ),
  isDuration: true,
};

export function toMs(value: JsonValue | undefined): number | null {
  return typeof value === "string" ? (parseDuration(value) ?? null) : null;
}

export function oneOf(choices: readonly string[]): ValueType {
  return words(`one of ${choices.join(", ")}`, (value) => choices.includes(value), { enum: choices });
}

/** Accepts null as unset. */
export function optional(type: ValueType): ValueType {
  const expected = `${type.expected}, or null`;
  return {
    ...type,
    isOptional: true,
    expected,
    schema: { anyOf: [type.schema, { type: "null" }] },
    read: (value, at, wanted = expected) => (value === null ? null : type.read(value, at, wanted)),
  };
}

/** Accepts a list, at least `least` long; `first`: the type of its first item, where it differs. */
function listOf(type: ValueType, expected: string, least: number = 0, first: ValueType = type): ValueType {
  return {
    expected,
    schema: { type: "array", minItems: least, items: type.schema },
    read: (value, at = [], wanted = expected) => {
      if (!Array.isArray(value) || value.length < least)
        throw new WrongValue({ expected: wanted, at, got: value });
      return (value as readonly YamlValue[]).map((item, index) =>
        (index === 0 ? first : type).read(item, [...at, index]),
      );
    },
  };
}

/** Accepts a single value as a list of one; always returns a list. */
function orOne(list: ValueType, single: ValueType): ValueType {
  return {
    expected: list.expected,
    schema: { anyOf: [single.schema, list.schema] },
    read: (value, at, wanted = list.expected) =>
      Array.isArray(value) ? list.read(value, at, wanted) : [single.read(value, at, wanted)],
  };
}

export function listOrOne(type: ValueType, expected: string): ValueType {
  return orOne(listOf(type, expected), type);
}

/** Like `listOrOne`, but rejects an empty list. */
export function oneOrMore(type: ValueType, expected: string): ValueType {
  return orOne(listOf(type, expected, 1), type);
}

/** An argument of a program, which may be empty, unlike `text`. */
const argument: ValueType = words("a string", () => true, { type: "string" });

/** A list of strings; a single string is a list of one. */
export const texts: ValueType = listOf(text, "a list of strings");
export const programArguments: ValueType = listOf(argument, "a list of strings");

/** Accepts a program and its arguments, or only the program's name. */
export function programCall(expected: string): ValueType {
  return orOne(listOf(argument, expected, 1, text), text);
}

/** Accepts a mapping with these fields only. A missing field is null, if its type accepts that. */
export function mapping(expected: string, known: Readonly<Record<string, ValueType>>): ValueType {
  const names = Object.keys(known);
  const types = Object.entries(known);
  const required = names.filter((name) => !known[name]?.isOptional);
  const properties = Object.fromEntries(types.map(([name, { schema }]) => [name, schema]));
  return {
    expected,
    schema: { type: "object", properties, required, additionalProperties: false },
    read: (value, at = [], wanted = expected) => {
      const given = mappingOf(value, { at, wanted, names });
      return Object.fromEntries(
        types.map(([name, type]) => [name, type.read(given[name] ?? null, [...at, name])]),
      );
    },
  };
}

/** Accepts a mapping to values of one type, from any name or from those in `names`. */
export function record(expected: string, type: ValueType, names?: readonly string[]): ValueType {
  const propertyNames = names && { enum: names };
  return {
    expected,
    schema: { type: "object", ...(propertyNames && { propertyNames }), additionalProperties: type.schema },
    read: (value, at = [], wanted = expected) => {
      const given = Object.entries(mappingOf(value, { at, wanted, names }));
      return Object.fromEntries(given.map(([name, one]) => [name, type.read(one ?? null, [...at, name])]));
    },
  };
}

/** Returns `value` as a mapping whose names are all among `names`, if given. */
function mappingOf(
  value: YamlValue,
  {
    at,
    wanted,
    names,
  }: { readonly at: YamlPath; readonly wanted: string; readonly names: readonly string[] | undefined },
): YamlObject {
  if (!isMapping(value)) throw new WrongValue({ expected: wanted, at, got: value });
  const unknown = names && Object.keys(value).find((name) => !names.includes(name));
  if (unknown === undefined) return value;
  throw new WrongValue({ expected: wanted, at: [...at, unknown], got: unknown, known: names ?? [] });
}
