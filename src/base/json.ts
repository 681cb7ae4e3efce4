import type { RedactedText } from "./safe-text.ts";

export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** Levels. `JSON.parse` reads any depth, but `JSON.stringify` and whoever else follows a value recurse once per level. */
const maxDepth = 500;

/** Parses `text`; `undefined` if it is not JSON, or nested deeper than 500 levels. */
export function parseJson(text: string): JsonValue | undefined {
  if (isDeep(text)) return undefined;
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** Returns true for lists and objects in more than `maxDepth` others. Takes linear time, and none for short texts. */
function isDeep(text: string): boolean {
  if (text.length <= maxDepth) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openList || code === openObject) depth++;
    else if (code === closeList || code === closeObject) depth--;
    if (depth > maxDepth) return true;
  }
  return false;
}

const [quote, backslash] = [0x22, 0x5c];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns the place of the quote that ends the string at `start`; the text's length for none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before--;
    if ((end - before) % 2 === 0) return end;
  }
  return text.length;
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

/** Returns the fields that are not undefined. */
export function present<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
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
