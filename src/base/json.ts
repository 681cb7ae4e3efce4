import type { RedactedText } from "./safe-text.ts";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Parses `text`; `undefined` if it is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Returns the strings of a JSON array; `[]` for anything else. Those of redacted JSON are redacted. */
export function parseStrings(text: RedactedText | null | undefined): readonly RedactedText[];
export function parseStrings(text: string | null | undefined): readonly string[];
export function parseStrings(text: string | null | undefined): readonly string[] {
  const value = text ? parseJson(text) : undefined;
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a value as text; "" for lists, objects and what is missing, whose own conversion their writer could break. */
export function shownValue(value: JsonValue | undefined): string {
  return typeof value === "string"
    ? value
    : isObject(value) || Array.isArray(value)
      ? ""
      : String(value ?? "");
}

/** Returns the entry of a table that a value names; undefined for a name that only objects in general have (`constructor`). */
export function entryNamed<T>(
  table: Readonly<Record<string, T>>,
  name: JsonValue | undefined,
): T | undefined {
  return typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** Returns `text` as a JSON string that is a YAML string too: JSON leaves some characters raw that YAML readers refuse. */
export function yamlString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
