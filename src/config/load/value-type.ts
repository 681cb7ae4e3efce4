import { parseDuration } from "../../base/duration.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { YamlObject, YamlValue } from "../../base/yaml.ts";

/** A value, or the problem with it and its place below the key. */
type ReadResult =
  | { readonly value: JsonValue }
  | {
      readonly problem: string;
      readonly at: readonly (string | number)[];
      readonly got: YamlValue | undefined;
      /** How to fix it, if `problem` is not enough. */
      readonly hint?: string;
      /** The known names, if \`at\` ends with an unknown one. */
      readonly known?: readonly string[];
    };

/** The type of a setting's value. */
export interface ValueType {
  /** Completes "must be …". */
  readonly expected: string;
  /** For editors. */
  readonly schema: JsonObject;
  read(value: YamlValue): ReadResult;
}

/** Returns true for a YAML mapping. */
export function isMapping(value: YamlValue): value is YamlObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function scalar(
  expected: string,
  schema: JsonObject,
  convert: (text: string) => JsonValue | undefined,
  hintFor?: (text: string) => string | undefined,
): ValueType {
  return {
    expected,
    schema,
    read: (got) => {
      const value = typeof got === "string" ? convert(got) : undefined;
      if (value !== undefined) return { value };
      const hint = typeof got === "string" ? hintFor?.(got) : undefined;
      return { problem: expected, at: [], got, ...(hint !== undefined && { hint }) };
    },
  };
}

const anyText: ValueType = scalar("a string", { type: "string", minLength: 1 }, (value) => value);
export const text: ValueType = {
  ...anyText,
  read: (got) =>
    got === "" ? { problem: `${anyText.expected} that is not empty`, at: [], got } : anyText.read(got),
};
/** A command line for a shell, which would accept anything with an empty one. */
export const commandLine: ValueType = scalar("a command line", text.schema, (value) =>
  value.trim() === "" ? undefined : value,
);
/** A URL scheme; a single letter is a Windows drive instead. */
const url = /^[a-z][a-z0-9+.-]+:/i;
export const filePath: ValueType = scalar(
  "a file path",
  text.schema,
  (value) => (value === "" || url.test(value) ? undefined : value),
  (value) =>
    url.test(value) ? "use a file path, because ralph stores tasks and memory in SQLite files" : undefined,
);
/** A folder of the project, with `/` between names. */
export const folder: ValueType = scalar(
  "a folder of the project, relative to its root",
  { type: "string", minLength: 1, pattern: "^(?!/)" },
  (value) => {
    const names = value.split("/").filter((name) => name !== "" && name !== ".");
    const isInside = !value.startsWith("/") && !names.includes("..") && !/[\0\n]/.test(value);
    return isInside && names.length > 0 ? names.join("/") : undefined;
  },
);
/** A folder of the project that ralph writes to: not git's. */
export const ownFolder: ValueType = {
  ...folder,
  read: (got) => {
    const read = folder.read(got);
    const isGits = "value" in read && /^\.git(?:\/|$)/i.test(String(read.value));
    return isGits ? { problem: `${folder.expected}, outside .git`, at: [], got } : read;
  },
};
/** At most 15 digits, which a number represents exactly. */
export const wholeNumber: ValueType = scalar(
  "a non-negative integer",
  { type: "integer", minimum: 0 },
  (value) => (/^\d{1,15}$/.test(value) ? Number(value) : undefined),
);
export const amount: ValueType = scalar("a non-negative number", { type: "number", minimum: 0 }, (value) =>
  /^(\d{1,12}(\.\d*)?|\.\d+)$/.test(value) ? Number(value) : undefined,
);
export const share: ValueType = scalar(
  "a number from 0 to 1",
  { type: "number", minimum: 0, maximum: 1 },
  (value) => (/^(0?\.\d+|[01](\.0*)?)$/.test(value) ? Number(value) : undefined),
);
export const flag: ValueType = scalar("true or false", { type: "boolean" }, (value) =>
  /^(true|yes|on)$/i.test(value) ? true : /^(false|no|off)$/i.test(value) ? false : undefined,
);
/** A duration, kept as text; `toMs` converts it to milliseconds. */
export const duration: ValueType = scalar(
  "a duration such as 90s, 30m or 1h30m",
  { type: "string", pattern: "\\d(ms|s|m|h|d)" },
  (value) => (parseDuration(value) ? value : undefined),
  (value) => {
    if (/^[\d.]/.test(value) && (Number(value) === 0 || parseDuration(value) === 0))
      return "use a time longer than 0";
    return /^\d+(\.\d+)?$/.test(value) ? `add a unit: ${value}s or ${value}m` : undefined;
  },
);

export function toMs(value: JsonValue | undefined): number | null {
  return typeof value === "string" ? (parseDuration(value) ?? null) : null;
}

export function oneOf(choices: readonly string[]): ValueType {
  return scalar(`one of ${choices.join(", ")}`, { enum: choices }, (value) =>
    choices.includes(value) ? value : undefined,
  );
}

/** Accepts null as unset. */
export function optional(type: ValueType): ValueType {
  return {
    expected: `${type.expected}, or null`,
    schema: { anyOf: [type.schema, { type: "null" }] },
    read: (value) => {
      if (value === null) return { value: null };
      const read = type.read(value);
      return "problem" in read && read.at.length === 0
        ? { ...read, problem: `${read.problem}, or null` }
        : read;
    },
  };
}

function listOf(type: ValueType, expected: string): ValueType {
  return {
    expected,
    schema: { type: "array", items: type.schema },
    read: (value) => {
      if (!Array.isArray(value)) return { problem: expected, at: [], got: value };
      const items: JsonValue[] = [];
      for (const [index, item] of (value as readonly YamlValue[]).entries()) {
        const read = type.read(item);
        if ("problem" in read) return { ...read, at: [index, ...read.at] };
        items.push(read.value);
      }
      return { value: items };
    },
  };
}

export const texts: ValueType = listOf(text, "a list of strings");

/** Accepts a single value as a list of one; always returns a list. */
export function listOrOne(type: ValueType, expected: string): ValueType {
  const list = listOf(type, expected);
  return {
    expected,
    schema: { anyOf: [type.schema, list.schema] },
    read: (value) => {
      if (Array.isArray(value)) return list.read(value);
      const read = type.read(value);
      return "value" in read ? { value: [read.value] } : { ...read, problem: expected };
    },
  };
}

/** Like `listOrOne`, but rejects an empty list. */
export function oneOrMore(type: ValueType, expected: string): ValueType {
  const list = listOrOne(type, expected);
  return {
    ...list,
    read: (value) => {
      const isEmpty = Array.isArray(value) && value.length === 0;
      return isEmpty ? { problem: expected, at: [], got: value } : list.read(value);
    },
  };
}

/** An argument of a program, which may be empty, unlike `text`. */
const argument: ValueType = scalar("a string", { type: "string" }, (value) => value);

export const programArguments: ValueType = listOf(argument, "a list of strings");

/** Accepts a program and its arguments, or only the program's name. */
export function programCall(expected: string): ValueType {
  const list = oneOrMore(argument, expected);
  const array = { type: "array", minItems: 1, prefixItems: [text.schema], items: argument.schema };
  return {
    expected,
    schema: { anyOf: [text.schema, array] },
    read: (value) => {
      const read = list.read(value);
      if ("problem" in read || (read.value as readonly string[])[0] !== "") return read;
      return Array.isArray(value)
        ? { problem: "the name of a program", at: [0], got: "" }
        : { problem: expected, at: [], got: value };
    },
  };
}

/** Accepts a mapping with these fields only. A missing field is null, if its type accepts that. */
export function mapping(expected: string, known: Readonly<Record<string, ValueType>>): ValueType {
  const required = Object.keys(known).filter((key) => known[key] && "problem" in known[key].read(null));
  const properties = Object.fromEntries(Object.entries(known).map(([key, { schema }]) => [key, schema]));
  return {
    expected,
    schema: { type: "object", properties, required, additionalProperties: false },
    read: (value) => {
      if (!isMapping(value)) return { problem: expected, at: [], got: value };
      const unknown = Object.keys(value).find((key) => !Object.hasOwn(known, key));
      if (unknown !== undefined)
        return { problem: expected, at: [unknown], got: unknown, known: Object.keys(known) };
      const fields: Record<string, JsonValue> = {};
      for (const [key, type] of Object.entries(known)) {
        const read = type.read(value[key] ?? null);
        if ("problem" in read) return { ...read, at: [key, ...read.at] };
        fields[key] = read.value;
      }
      return { value: fields };
    },
  };
}

/** Accepts a mapping from any name to values of one type. */
export function record(expected: string, type: ValueType): ValueType {
  return {
    expected,
    schema: { type: "object", additionalProperties: type.schema },
    read: (value) => {
      if (!isMapping(value)) return { problem: expected, at: [], got: value };
      const entries: Record<string, JsonValue> = {};
      for (const [name, entry] of Object.entries(value)) {
        const read = type.read(entry ?? null);
        if ("problem" in read) return { ...read, at: [name, ...read.at] };
        entries[name] = read.value;
      }
      return { value: entries };
    },
  };
}

/** A URL to request. */
export const address: ValueType = scalar(
  "a URL that begins with http:// or https://",
  { type: "string", pattern: "^https?://" },
  (value) => (/^https?:\/\//.test(value) && URL.canParse(value) ? value : undefined),
);
