import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";

type Handlers = Readonly<Record<string, (event: JsonObject) => void>>;

/** Reads a line as a JSON event and passes it to the handler of its `type`; other lines and types are ignored. */
export function readEvent(line: string, on: Handlers): void {
  const event = parseJson(line);
  if (!isObject(event)) return;
  const type = text(event["type"]) ?? "";
  if (Object.hasOwn(on, type)) on[type]?.(event);
}

export const text = (value: JsonValue | undefined): string | null =>
  typeof value === "string" ? value : null;
export const number = (value: JsonValue | undefined): number | null =>
  typeof value === "number" ? value : null;
export const object = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});
export const array = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? value : [];
