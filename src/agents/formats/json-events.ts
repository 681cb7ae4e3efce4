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
/** JSON has numbers that are too large for one here: they are infinite. */
export const number = (value: JsonValue | undefined): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
/** An amount that is missing, or is none, counts as 0: a negative one would take back what others state. */
export const amountOf = (value: JsonValue | undefined): number => Math.max(0, number(value) ?? 0);
export const object = (value: JsonValue | undefined): JsonObject => (isObject(value) ? value : {});
export const array = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? value : [];
