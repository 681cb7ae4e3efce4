import { entryNamed, isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { Permission } from "../../base/shared-settings.ts";
import { text } from "../formats/json-events.ts";
import type { AgentRequest } from "../port/agent.ts";
import { type AskedAction, isAllowed } from "../session/approve-action.ts";

const kinds: Readonly<Record<string, AskedAction["kind"]>> = {
  read: "read",
  search: "read",
  think: "read",
  edit: "edit",
  delete: "edit",
  move: "edit",
  execute: "run",
  fetch: "fetch",
};

/** The names that agents give the tools of ralph's server: `ralph_note_add`, `mcp__ralph__note_add`, `note_add (ralph MCP Server)`. */
const ownTool = /^(?:(?:mcp_{1,2})?ralph(?:_{1,2}|[:./])[a-z]+_[a-z]+|[a-z]+_[a-z]+ \(ralph MCP Server\))$/;

interface PermissionAnswer {
  /** The protocol's answer. */
  readonly outcome: JsonObject;
  /** The refused action, such as `execute(npm install)`; null: it was allowed. */
  readonly denied: string | null;
}

/** Answers `session/request_permission`. `tool`: the tool call, with the fields of earlier events. */
export function answerPermission(
  { level, request }: { readonly level: Permission; readonly request: AgentRequest },
  tool: JsonObject,
  options: JsonValue | undefined,
): PermissionAnswer {
  const allowed = isAllowed(level, actionOf(tool), request);
  const offered = Array.isArray(options) ? options.filter(isObject) : [];
  const wanted = allowed ? ["allow_once", "allow_always"] : ["reject_once", "reject_always"];
  const optionId = wanted
    .map((kind) => offered.find((option) => option["kind"] === kind)?.["optionId"])
    .find((id) => id !== undefined);
  const outcome = optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId };
  return { outcome: { outcome }, denied: allowed && optionId !== undefined ? null : nameOf(tool) };
}

/** Returns a tool call as text for people: `execute(npm install)`. */
export function nameOf(tool: JsonObject): string {
  const kind = text(tool["kind"]) ?? "tool";
  return `${kind}(${commandOf(tool) ?? text(tool["title"]) ?? "?"})`;
}

/** Returns the name of the tool that is called; Qwen Code states it in a field of its own. */
export function toolName({ name, _meta }: JsonObject): string | null {
  return text(name) ?? text(isObject(_meta) ? _meta["toolName"] : undefined);
}

function actionOf(tool: JsonObject): AskedAction {
  const kind = entryNamed(kinds, tool["kind"]) ?? "other";
  const [stated, paths] = [commandOf(tool), pathsOf(tool)];
  const hasOwnName = ownTool.test(toolName(tool) ?? text(tool["title"]) ?? "");
  const isOwn = kind === "other" && hasOwnName && stated === null && paths.length === 0;
  // A title can be the model's words about a call: it is the command only where no input is stated.
  const command = stated ?? (isObject(tool["rawInput"]) ? null : text(tool["title"]));
  return { kind: isOwn ? "own" : kind, command: kind === "run" ? command : null, paths };
}

/** Checks whether a call failed because a rule of the agent forbids it, in the words of OpenCode. */
export function isForbidden({ status, content, rawOutput }: JsonObject): boolean {
  if (status !== "failed") return false;
  const words = JSON.stringify([content ?? null, rawOutput ?? null]).slice(0, 2000);
  return /specified a rule which prevents you from using this/.test(words);
}

/** Returns the command line of a tool's input, if it has one. */
export function commandOf({ rawInput }: JsonObject): string | null {
  const command = isObject(rawInput) ? (rawInput["command"] ?? rawInput["cmd"]) : undefined;
  if (Array.isArray(command)) return command.filter((word) => typeof word === "string").join(" ");
  return text(command);
}

/** Returns the files that a tool call names: its locations, its changes, its input. */
export function pathsOf({ locations, content, rawInput }: JsonObject): readonly string[] {
  const entries = [locations, content].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  const input = isObject(rawInput) ? rawInput : {};
  const named = ["file_path", "filePath", "path", "abs_path"].map((name) => input[name]);
  const paths = [...entries.map((entry) => entry["path"]), ...named];
  return paths.filter((path): path is string => typeof path === "string" && path !== "");
}
