import { isObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import { redact } from "../trust/redact.ts";

/** `object` with the secrets taken out of every string in it; keys stay. */
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

/** A string that holds JSON, as columns do, still holds JSON after it, though a rule may take a quote or a brace. */
function redactText(text: string): string {
  const redacted = redact(text);
  if (redacted === text || !holdsJson(text) || holdsJson(redacted)) return redacted;
  const inside = JSON.stringify(redactValue(parseJson(text) ?? null));
  return redact(inside) === inside ? inside : JSON.stringify(redacted);
}

function holdsJson(text: string): boolean {
  return /^[[{]/.test(text) && parseJson(text) !== undefined;
}
