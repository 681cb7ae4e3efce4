import { isObject, type JsonObject, type JsonValue, parseJson } from "../../base/json.ts";

/** A piece of a message that an agent streams. */
export interface MessagePiece {
  /** The same for all pieces of the message. */
  readonly key: string;
  readonly text: string;
  /** Returns the piece's line with another text in its place. */
  readonly write: (text: string) => string;
}

/** Where the lines of the streams hold the text of a piece. */
const places: readonly (readonly string[])[] = [
  // The Agent Client Protocol: `session/update` with an `agent_message_chunk`.
  ["params", "update", "content", "text"],
  // Codex: `item/agentMessage/delta`.
  ["params", "delta"],
  // Claude Code: `stream_event` with a `content_block_delta`.
  ["event", "delta", "text"],
  ["event", "delta", "thinking"],
  ["event", "delta", "partial_json"],
  // pi: `message_update` with a `text_delta`.
  ["assistantMessageEvent", "delta"],
];

/** All of these lines name a delta or a chunk. */
const mayBePiece = /[dD]elta"|_chunk"/;

/** Returns the piece of a message that a line of an agent's output holds; null: it holds none. */
export function pieceOf(line: string): MessagePiece | null {
  if (!line.startsWith("{") || !mayBePiece.test(line)) return null;
  const event = parseJson(line);
  if (!isObject(event)) return null;
  for (const place of places) {
    const text = valueAt(event, place);
    if (typeof text !== "string" || !isPiece(event, place)) continue;
    const shown = withoutWhole(event);
    const write = (whole: string): string => JSON.stringify(withValue(shown, place, whole));
    const { uuid: _, timestamp: __, ...same } = withValue(shown, place, "");
    return { key: JSON.stringify(same), text, write };
  }
  return null;
}

/** Reports that agents send while a message is on its way. */
const aside =
  /"(?:usage_update|available_commands_update|config_option_update|current_mode_update|session_info_update)"|"(?:thread\/tokenUsage|account\/rateLimits)\/updated"/;

/** Checks whether a line does not end the message before it. */
export function isAside(line: string): boolean {
  return line.startsWith("stderr: ") || aside.test(line.slice(0, 1000));
}

/** Tells pieces from whole messages and other events with text in the same place. */
function isPiece(event: JsonObject, place: readonly string[]): boolean {
  if (place[0] !== "params" || place.length === 2) return true;
  return /_chunk$/.test(String(valueAt(event, ["params", "update", "sessionUpdate"])));
}

/** Leaves out the message so far, which pi repeats in each piece: its last word is cut. */
function withoutWhole(event: JsonObject): JsonObject {
  const { assistantMessageEvent: update, message: _, ...rest } = event;
  if (!isObject(update)) return event;
  const { partial: __, ...piece } = update;
  return { ...rest, assistantMessageEvent: piece };
}

function valueAt(event: JsonObject, place: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = event;
  for (const name of place) value = isObject(value) ? value[name] : undefined;
  return value;
}

function withValue(event: JsonObject, [name = "", ...rest]: readonly string[], text: string): JsonObject {
  const inner = event[name];
  return { ...event, [name]: isObject(inner) && rest.length > 0 ? withValue(inner, rest, text) : text };
}
