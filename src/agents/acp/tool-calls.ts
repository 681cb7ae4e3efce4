import { isObject, type JsonObject, shownValue } from "../../base/json.ts";
import { clip } from "../../base/text.ts";
import { keptCommand, keptName, keptPath, keptPaths } from "../formats/kept-fields.ts";
import type { SessionHost } from "../port/session-stream.ts";
import { commandOf, pathsOf, toolName } from "./acp-permission.ts";

/** A long session uses thousands of tools; only those at work are asked about. */
const maxTools = 200;
const maxActivityChars = 16 * 1024;

/** Shows each tool call once, when its title is known, and keeps its fields for its permission request. */
export function toolCalls({ onActivity }: Pick<SessionHost, "onActivity">): {
  /** Takes an event of a tool call; returns the call with the fields of all its events that decide about it. */
  readonly take: (call: JsonObject) => JsonObject;
} {
  const calls = new Map<string, JsonObject>();
  const shown = new Map<string, string>();
  return {
    take(call) {
      const id = keptName(shownValue(call["toolCallId"])) ?? "";
      const known = Object.entries(keptFields(call)).filter(([, value]) => value !== null);
      const whole: JsonObject = { ...calls.get(id), ...Object.fromEntries(known) };
      calls.set(id, whole);
      const text = clip(activityOf(whole), maxActivityChars);
      if (text !== "" && shown.get(id) !== text && call["status"] !== "failed") {
        shown.set(id, text);
        onActivity({ kind: "tool", text });
      }
      for (const oldest of [...calls.keys()].slice(0, Math.max(0, calls.size - maxTools))) {
        calls.delete(oldest);
        shown.delete(oldest);
      }
      return whole;
    },
  };
}

const inputPaths = ["file_path", "filePath", "path", "abs_path"] as const;

/** Returns the fields that are shown or decide about permission, null for those that are missing; an agent may send any others, of any size. */
function keptFields(call: JsonObject): JsonObject {
  const { kind, title, locations, content, rawInput } = call;
  const list = (value: typeof locations) => (Array.isArray(value) ? keptPaths(value) : null);
  return {
    kind: keptName(kind),
    name: keptName(toolName(call) ?? undefined),
    title: keptCommand(title),
    locations: list(locations),
    content: list(content),
    rawInput: isObject(rawInput) && Object.keys(rawInput).length > 0 ? keptInput(rawInput) : null,
  };
}

function keptInput(input: JsonObject): JsonObject {
  const command = keptCommand(commandOf({ rawInput: input }));
  const paths = inputPaths.map((name) => [name, keptPath(input[name])] as const);
  return { command, ...Object.fromEntries(paths.filter(([, path]) => path !== null)) };
}

function activityOf(tool: JsonObject): string {
  const title = commandOf(tool) ?? shownValue(tool["title"]);
  const [path] = tool["kind"] === "execute" ? [] : pathsOf(tool);
  const named = path === undefined || title.includes(path) ? title : `${title} ${path}`;
  return tool["kind"] === "edit" && named !== "" ? `Edit ${named}` : named;
}
