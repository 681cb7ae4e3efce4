import { openTurns } from "../base/clock.ts";
import { isObject, type JsonObject, type JsonValue, parseJson } from "../base/json.ts";
import type { Redacted, RedactedText } from "../base/safe-text.ts";
import { registeredSecrets } from "../trust/registered-secrets.ts";
import { redactedText } from "../trust/safe-text.ts";

// The way of objects to the table of events, the log and its listeners. Their types name what they take; only this file makes
// those types.

/** Returns `object` with the secrets in every string redacted: itself if it has none, else a copy. Keys stay as they are. */
export function redactObject(object: JsonObject): Redacted<JsonObject> {
  const entries = Object.entries(object);
  let changed = false;
  for (const entry of entries) {
    const [, value] = entry;
    if (value === undefined) continue;
    entry[1] = redactValue(value);
    changed ||= entry[1] !== value;
  }
  return (changed ? Object.fromEntries(entries) : object) as Redacted<JsonObject>;
}

/** Returns redacted objects as JSON. */
export function redactedJson(value: Redacted<object> | readonly Redacted<object>[]): RedactedText {
  return JSON.stringify(value) as RedactedText;
}

/** Returns the object or array that `redactedJson` wrote; undefined for text that is not JSON. */
export function parseRedacted<T extends object>(text: RedactedText): Redacted<T> | undefined {
  return parseJson(text) as Redacted<T> | undefined;
}

/** Lists whose texts were redacted ahead, with the result. */
const ahead = new WeakMap<object, { readonly redacted: JsonValue; readonly secrets: RegExp | undefined }>();

/**
 * Redacts the texts of a long list, such as the names of an agent's files, while other work has its turn: `redactObject`
 * of what holds this list then takes the result, unless more secrets are known by then. Freezes the list.
 */
export async function redactAhead(list: readonly string[]): Promise<void> {
  const secrets = registeredSecrets();
  const items: string[] = [];
  const turn = openTurns();
  for (const text of Object.freeze(list)) {
    items.push(redactText(text));
    await turn();
  }
  const redacted = items.some((item, at) => item !== list[at]) ? items : list;
  ahead.set(list, { redacted, secrets });
}

function redactValue(value: JsonValue): JsonValue {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) {
    const known = ahead.get(value);
    if (known && known.secrets === registeredSecrets()) return known.redacted;
    const items = value.map(redactValue);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
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
