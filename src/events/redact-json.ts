import { isObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import { redactedText } from "../trust/safe-text.ts";

/** Returns a copy of `object` with the secrets in every string redacted; keys stay as they are. */
export function redactObject(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [key, value === undefined ? undefined : redactValue(value)]),
  );
}

function redactValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  return isObject(value) ? redactObject(value) : value;
}

/** Redacts a string. A string that holds JSON, as some columns do, stays valid JSON even if a rule matches a quote or brace. */
function redactText(text: string): string {
  const redacted = redactedText(text);
  if (redacted === text || !holdsJson(text) || holdsJson(redacted)) return redacted;
  const inside = JSON.stringify(redactValue(parseJson(text) ?? null));
  return redactedText(inside) === inside ? inside : JSON.stringify(redacted);
}

function holdsJson(text: string): boolean {
  return /^[[{]/.test(text) && parseJson(text) !== undefined;
}
