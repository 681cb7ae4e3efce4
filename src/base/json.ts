export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** The value that `text` holds, or `undefined` when it is no JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

/** The strings of a JSON array of strings; anything else gives `[]`. */
export function parseStrings(text: string | null | undefined): readonly string[] {
  const value = text ? parseJson(text) : undefined;
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
