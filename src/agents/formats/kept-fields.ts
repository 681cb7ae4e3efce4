import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { clipCopy } from "../../base/text.ts";

/** Characters of a command line or a title, and of all paths of one tool call together. */
const maxCommandChars = 16 * 1024;
const maxPathChars = 64 * 1024;
const maxNameChars = 200;

/** Ends a text that was cut: a line end, because no command line with further lines is allowed by its beginning. */
const cutMark = "\n…";
/** Stands for paths that were left out: it is in no folder that an agent may change. */
const leftOutPath = "/";

/** Returns a name or an id, cut to a length that can be kept for each of many tool calls; null: it is no text. */
export function keptName(value: JsonValue | undefined): string | null {
  return typeof value === "string" ? clipCopy(value, maxNameChars) : null;
}

/**
 * Returns a command line, or a title that may be one, cut to a length that can be kept. What was cut is still refused
 * where the whole would be.
 */
export function keptCommand(value: JsonValue | undefined): string | null {
  if (typeof value !== "string") return null;
  return value.length <= maxCommandChars ? value : `${clipCopy(value, maxCommandChars)}${cutMark}`;
}

/** Returns the entries of a list that name a path, as `{ path }`, and a path outside the project for what is too much to keep. */
export function keptPaths(list: JsonValue | undefined): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  let room = maxPathChars;
  for (const entry of Array.isArray(list) ? list : []) {
    const path = isObject(entry) ? entry["path"] : undefined;
    if (typeof path !== "string") continue;
    // An entry costs memory too.
    room -= path.length + 20;
    if (room < 0) return [...kept, { path: leftOutPath }];
    kept.push({ path });
  }
  return kept;
}

/** Returns the path of a tool's input; one that is too long to keep counts as outside the project. */
export function keptPath(value: JsonValue | undefined): string | null {
  if (typeof value !== "string") return null;
  return value.length <= maxPathChars ? value : leftOutPath;
}
